"""The command palette: what it finds with and without an open bank."""

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from banks.models import Bank, EntityKey
from memoryplatform.dashboard.palette import MOST_BANKS
from memoryplatform.operations.entities import list_first_letters
from tenants.models import Tenant, User
from tests.accounts.conftest import acme, owner, sign_in
from tests.factories import make_bank
from tests.memory_factories import make_row
from tests.retrieval.memory import Memory

__all__ = ["acme", "owner"]
PALETTE = "/dashboard/palette/"


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


@pytest.fixture
def banks(acme: Tenant) -> list[Bank]:
    made = []
    for name in ("Nora", "Juno"):
        memory = Memory(make_bank(acme, bank_id=name.lower(), name=name))
        entity = memory.entity(f"Subscription of {name}")
        memory.unit(f"{name} has a subscription", about=[entity])
        for key in list_first_letters("subscription"):
            make_row(EntityKey, acme, entity=entity, bank_id=memory.bank.id, key=key)
        made.append(memory.bank)
    return made


def read(client: Client, **given: str) -> str:
    return html.unescape(client.get(PALETTE, given).content.decode())


def test_without_an_open_bank_the_banks_used_last_are_searched(client: Client, banks: list[Bank]) -> None:
    found = read(client, q="subscription")
    for name in ("Nora", "Juno"):
        assert f"{name} has a subscription" in found
        assert f"Subscription of {name}" in found
        assert f">{name}</span></a>" in found  # the bank of the result
    assert "Nothing matches" in read(client, q="zeppelin")


def test_an_entity_comes_before_the_memories_that_name_it(client: Client, banks: list[Bank]) -> None:
    found = read(client, q="subscription", bank="nora")
    assert found.index("Subscription of Nora") < found.index("Nora has a subscription")


def test_an_open_bank_is_searched_alone(client: Client, banks: list[Bank]) -> None:
    found = read(client, q="subscription", bank="nora")
    assert "Nora has a subscription" in found
    assert "Juno" not in found


def test_many_banks_need_few_queries(client: Client, acme: Tenant, banks: list[Bank]) -> None:
    read(client, q="subscription")
    for number in range(2 * MOST_BANKS):
        make_bank(acme, bank_id=f"bank-{number}")
    with CaptureQueriesContext(connection) as asked:
        read(client, q="subscription")
    assert len(asked) <= 20 + MOST_BANKS * 4
