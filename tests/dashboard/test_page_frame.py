"""Behaviour that all pages share: whole pages and parts, and the frame of an error."""

import pytest
from django.test import Client

from banks.models import Bank
from tenants.models import Tenant, User
from tests.accounts.conftest import sign_in

HTMX = {"HX-Request": "true"}
BACK = HTMX | {"HX-History-Restore-Request": "true"}
BANK = "/dashboard/banks/support/"
WITH_PARTS = ("memories", "conversations", "opinions", "entities", "timeline", "graph")


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


@pytest.mark.parametrize("page", WITH_PARTS)
def test_a_part_is_never_shown_as_a_page(client: Client, support: Bank, page: str) -> None:
    answers = [client.get(f"{BANK}{page}/", headers=headers) for headers in ({}, HTMX, BACK)]
    assert [b"<!doctype html>" in one.content for one in answers] == [True, False, True]
    assert all("HX-Request" in one["Vary"] for one in answers)


def test_going_back_loads_the_page_again(client: Client, support: Bank) -> None:
    """htmx would else swap the body, without the scripts of the page."""
    assert b'"historyCacheSize": 0, "refreshOnHistoryMiss": true' in client.get(f"{BANK}recall/").content


def test_the_recall_page_says_that_a_bank_is_empty_only_of_an_empty_one(client: Client, support: Bank) -> None:
    for headers in ({}, HTMX, BACK):
        assert b"no memories yet" not in client.get(f"{BANK}recall/", headers=headers).content
    client.post("/dashboard/new-bank/", {"bank_id": "empty", "name": "Empty"})
    assert b"no memories yet" in client.get("/dashboard/banks/empty/recall/").content
