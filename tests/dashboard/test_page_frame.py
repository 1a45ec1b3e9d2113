"""Behaviour that all pages share: whole pages and parts, and the frame of an error."""

from uuid import UUID

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
    """Else htmx would swap the body, without the scripts of the page."""
    assert b'"historyCacheSize": 0, "refreshOnHistoryMiss": true' in client.get(f"{BANK}recall/").content


def test_the_recall_page_says_that_a_bank_is_empty_only_of_an_empty_one(client: Client, support: Bank) -> None:
    for headers in ({}, HTMX, BACK):
        assert b"no memories yet" not in client.get(f"{BANK}recall/", headers=headers).content
    client.post("/dashboard/new-bank/", {"bank_id": "empty", "name": "Empty"})
    assert b"no memories yet" in client.get("/dashboard/banks/empty/recall/").content


@pytest.mark.parametrize(
    ("path", "said", "way_back"),
    [
        (f"{BANK}memories/{UUID(int=1)}/", "This memory is not here", f'href="{BANK}memories/">'),
        (f"{BANK}memories/{UUID(int=1)}/edit/", "This memory is not here", f'href="{BANK}memories/">'),
        (f"{BANK}entities/{UUID(int=1)}/", "This entity is not here", f'href="{BANK}entities/">'),
        (f"{BANK}memories/nonsense/", "This page is not here", f'href="{BANK}">'),
        ("/dashboard/nonsense/", "This page is not here", 'href="/dashboard/">'),
        ("/dashboard/banks/gone/nonsense/", "This bank is not here", 'href="/dashboard/">'),
        ("/dashboard/banks/gone/memories/", "This bank is not here", 'href="/dashboard/">'),
        (f"/dashboard/webhooks/{UUID(int=1)}/", "This webhook is not here", 'href="/dashboard/">'),
    ],
)
def test_a_missing_thing_is_said_within_the_dashboard(
    client: Client, support: Bank, path: str, said: str, way_back: str
) -> None:
    answer = client.get(path)
    page = answer.content.decode()
    assert answer.status_code == 404
    assert said in page
    assert f'<a class="button button-primary" {way_back}' in page
    assert 'aria-label="Main"' in page  # the menu


def test_an_address_without_its_last_slash_leads_to_the_page(client: Client, support: Bank) -> None:
    browser = {"Accept": "text/html"}
    for path in ("/dashboard", "/accounts/login", "/dashboard/usage", f"{BANK}memories", BANK[:-1]):
        assert client.get(f"{path}?q=lake", headers=browser)["Location"] == f"{path}/?q=lake"
        assert client.post(path, headers=browser).status_code == 404
        assert client.get(path, headers={"Accept": "application/json"}).status_code == 404
    assert client.get("/dashboard/usage", headers=browser)["Location"] == "/dashboard/usage/"
    assert client.get("/dashboard/banks/a%3Fb%23c", headers=browser)["Location"] == "/dashboard/banks/a%3Fb%23c/"
    assert client.get("/nonsense", headers=browser).status_code == 404


def test_the_address_of_a_form_leads_back_to_a_page(client: Client, support: Bank) -> None:
    """A reader opens it by its address, e.g. after a refused form."""
    answer = client.get(f"{BANK}entities/{UUID(int=1)}/edit/")
    page = answer.content.decode()
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    assert "Nothing to show at this address" in page
    assert f'<a class="button button-primary" href="{BANK}entities/">' in page
