"""An edit of a fact removes the description of its entities until the next refresh."""

from collections.abc import Callable
from typing import Any

import pytest

from banks.entities.descriptions import describe_entities
from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder, embed
from tests.factories import make_bank, make_tenant
from tests.stored_facts import relation, store_fact

SECRET = "Ana is in debt."
Change = Callable[[Bank, MemoryUnit], None]


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def describe(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        ids = list(Entity.objects.of_bank(bank).values_list("id", flat=True))
    describe_entities(bank, ids, WordedEmbedder())


def summaries(bank: Bank) -> dict[str, str]:
    with tenant_transaction(bank.tenant_id):
        return {one.name: one.summary for one in Entity.objects.of_bank(bank)}


def change(bank: Bank, text: str, apply: Change) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        apply(bank, MemoryUnit.objects.of_bank(bank).get(text=text))


def invalidate(bank: Bank, unit: MemoryUnit) -> None:
    invalidate_unit(bank, unit, Invalidation("correction"))


def restore(bank: Bank, unit: MemoryUnit) -> None:
    restore_unit(bank, unit, actor="test")


def edit(**fields: Any) -> Change:
    def apply(bank: Bank, unit: MemoryUnit) -> None:
        edit_unit(bank, unit, UnitEdit(**fields), vector=embed("new"), actor="test", reason="")

    return apply


@pytest.mark.parametrize(
    "apply", [invalidate, edit(text="Ana is rich."), edit(network=Network.OPINION, confidence=0.5)]
)
def test_a_fact_that_is_changed_is_in_no_summary(bank: Bank, apply: Change) -> None:
    store_fact(bank, SECRET, "Ana")
    store_fact(bank, "Bob sings.", "Bob")
    describe(bank)
    assert summaries(bank) == {"Ana": SECRET, "Bob": "Bob sings."}
    change(bank, SECRET, apply)
    assert summaries(bank) == {"Ana": "", "Bob": "Bob sings."}
    with tenant_transaction(bank.tenant_id):
        ana = Entity.objects.of_bank(bank).get(name="Ana")
    assert (ana.attributes, ana.embedding) == ({}, None)
    describe(bank)
    assert SECRET not in summaries(bank)["Ana"]


def test_a_fact_that_is_restored_is_in_the_next_summary(bank: Bank) -> None:
    store_fact(bank, SECRET, "Ana")
    store_fact(bank, "Ana sings.", "Ana")
    change(bank, SECRET, invalidate)
    describe(bank)
    assert summaries(bank) == {"Ana": "Ana sings."}
    change(bank, SECRET, restore)
    assert summaries(bank) == {"Ana": ""}


@pytest.mark.parametrize("apply", [edit(tags=("a",)), edit(importance=0.9)])
def test_an_edit_that_leaves_the_words_leaves_the_summary(bank: Bank, apply: Change) -> None:
    store_fact(bank, SECRET, "Ana")
    describe(bank)
    change(bank, SECRET, apply)
    assert summaries(bank) == {"Ana": SECRET}


def test_an_opinion_removes_only_summaries_of_entities_whose_relationship_ends(bank: Bank) -> None:
    store_fact(bank, "Ana sings.", "Ana")
    store_fact(bank, "Bob sings.", "Bob")
    married = relation("Bob", "spouse_of", "Cleo")
    held: dict[str, Any] = {"relations": [married], "network": Network.OPINION, "confidence": 0.5}
    store_fact(bank, "I think Bob married Cleo.", "Bob", "Cleo", "Ana", **held)
    describe(bank)
    assert summaries(bank)["Cleo"] == married.text
    change(bank, "I think Bob married Cleo.", invalidate)
    assert summaries(bank) == {"Ana": "Ana sings.", "Bob": "", "Cleo": ""}
