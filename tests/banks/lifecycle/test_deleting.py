"""A deletion removes a unit from every table, with everything that rests on it alone."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest

from banks.lifecycle.deleting import Removed, delete_chunks, delete_units
from banks.locking import lock_memory
from banks.models import (
    Bank,
    CoOccurrence,
    Corpus,
    CorpusStatistics,
    Entity,
    EntityKey,
    EntityName,
    Link,
    MemoryUnit,
    Mention,
    PostingBlock,
    Relationship,
    RelationshipSource,
    UnitSource,
    UnitTag,
)
from banks.types import Source
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_chunk, make_document, make_row, make_unit
from tests.stored_facts import relation, store_fact

ABOUT_UNITS = [CoOccurrence, Entity, EntityKey, EntityName, Link, Mention, PostingBlock, Relationship]
LABELS = [RelationshipSource, UnitSource, UnitTag, MemoryUnit]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def delete(bank: Bank, *unit_ids: UUID) -> Removed:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        return delete_units(bank, unit_ids)


def rows(bank: Bank, model: Any) -> list[Any]:
    with tenant_transaction(bank.tenant_id):
        return list(model.objects.for_tenant(bank.tenant_id))


def snapshot(bank: Bank, models: Iterable[Any]) -> dict[str, list[dict[str, Any]]]:
    """The content of all rows, without generated ids and times of writing."""
    left_out = {"_state", "id", "recorded_at", "created_at", "updated_at", "postings", "embedding"}
    return {
        model.__name__: sorted(
            ({k: v for k, v in vars(row).items() if k not in left_out} for row in rows(bank, model)), key=str
        )
        for model in models
    }


def test_nothing_of_the_only_memory_is_left(bank: Bank) -> None:
    unit_id = store_fact(
        bank, "Alice lives with Bob.", "Alice", "Bob", relations=[relation("Alice", "knows", "Bob")], tags=["home"]
    )
    removed = delete(bank, unit_id)
    assert (removed.units, removed.relationships, removed.entities) == (1, 1, 2)
    for model in (*ABOUT_UNITS, *LABELS):
        assert rows(bank, model) == [], model
    assert {row.texts for row in rows(bank, CorpusStatistics)} == {0}


def test_other_rows_are_as_if_the_fact_had_never_been_retained(bank: Bank, tenant: Tenant) -> None:
    other = make_bank(tenant)

    def tell_both(where: Bank) -> None:
        store_fact(where, "Alice met Bob in Lisbon.", "Alice", "Bob", relations=[relation("Alice", "knows", "Bob")])
        store_fact(where, "Bob paints.", "Bob")

    tell_both(bank)
    before = snapshot(bank, ABOUT_UNITS)
    extra = store_fact(
        bank,
        "Bobby went sailing with Alice and Carol.",
        "Bobby",
        "Alice",
        "Carol",
        relations=[relation("Alice", "knows", "Carol")],
    )
    again = store_fact(
        bank, "Alice and Bob know each other.", "Alice", "Bob", relations=[relation("Alice", "knows", "Bob")]
    )
    delete(bank, extra, again)
    assert snapshot(bank, ABOUT_UNITS) == before
    assert rows(other, Entity)


def test_a_relationship_with_other_sources_loses_a_proof(bank: Bank) -> None:
    for text in ("Alice knows Bob.", "Bob and Alice have met at work."):
        last = store_fact(bank, text, "Alice", "Bob", relations=[relation("Alice", "knows", "Bob")])
    (told,) = rows(bank, Relationship)
    assert told.proof_count == 2
    delete(bank, last)
    (told,) = rows(bank, Relationship)
    assert told.proof_count == 1


def observe(tenant: Tenant, bank: Bank, *unit_ids: UUID, **fields: Any) -> MemoryUnit:
    observation = make_unit(tenant, bank=bank, network="observation", **fields)
    for unit_id in unit_ids:
        make_row(UnitSource, tenant, unit=observation, other_unit_id=unit_id, role="summarises")
    return observation


@pytest.mark.parametrize("closed", [{}, {"expired_at": "2024-01-01T00:00Z", "close_reason": "update"}])
def test_every_observation_on_a_deleted_memory_is_deleted_with_it(
    bank: Bank, tenant: Tenant, closed: dict[str, str]
) -> None:
    first, second = store_fact(bank, "Alice paints."), store_fact(bank, "Alice sings in a choir.")
    both = observe(tenant, bank, first, second, text="Alice paints and sings.", **closed)
    other = observe(tenant, bank, second, text="Alice has a voice.")
    higher = observe(tenant, bank, both.id, other.id, text="Alice is an artist.")

    removed = delete(bank, first)

    assert removed.units == 3
    assert {unit.id for unit in rows(bank, MemoryUnit)} == {second, other.id}
    assert higher.id not in {source.unit_id for source in rows(bank, UnitSource)}


def test_the_receipt_names_the_entities_of_deleted_observations(bank: Bank, tenant: Tenant) -> None:
    first, second = store_fact(bank, "She paints."), store_fact(bank, "Alice sings.", "Alice")
    observation = observe(tenant, bank, first, second, text="Alice paints and sings.")
    (alice,) = rows(bank, Entity)
    make_row(Mention, tenant, unit=observation, entity=alice, name="Alice")

    assert delete(bank, first).touched_entities == {alice.id}


def test_other_derived_units_are_deleted_with_their_last_source(bank: Bank, tenant: Tenant) -> None:
    first, second = store_fact(bank, "Alice paints."), store_fact(bank, "Alice sings in a choir.")
    belief = make_unit(tenant, bank=bank, network="opinion", confidence=0.7, text="I think Alice is gifted.")
    for unit_id in (first, second):
        make_row(UnitSource, tenant, unit=belief, other_unit_id=unit_id, role="evidence")
    delete(bank, first)
    assert belief.id in {unit.id for unit in rows(bank, MemoryUnit)}
    delete(bank, second)
    assert rows(bank, MemoryUnit) == []


def test_the_predecessor_of_a_deleted_memory_stays_closed(bank: Bank, tenant: Tenant) -> None:
    newer = store_fact(bank, "Alice lives in Lisbon.")
    old = make_unit(tenant, bank=bank, superseded_by_id=newer, expired_at="2024-01-01T00:00Z", close_reason="update")
    delete(bank, newer)
    (left,) = rows(bank, MemoryUnit)
    assert (left.id, left.superseded_by_id) == (old.id, None)
    assert left.expired_at is not None


def test_a_removed_chunk_deletes_only_facts_without_another_source(bank: Bank, tenant: Tenant) -> None:
    document = make_document(tenant, bank=bank)
    gone, kept = (make_chunk(tenant, bank=bank, document=document, position=place) for place in (0, 1))
    store_fact(bank, "Alice paints.", sources=[Source(0, 1, chunk_id=gone.id)])
    for chunk in (gone, kept):
        store_fact(bank, "Alice sings.", sources=[Source(0, 1, chunk_id=chunk.id)])
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        removed = delete_chunks(bank, {gone.id})
    assert (removed.units, removed.chunks) == (1, 1)
    (left,) = rows(bank, MemoryUnit)
    assert (left.text, left.proof_count) == ("Alice sings.", 1)


def test_a_deleted_text_is_in_no_posting(bank: Bank) -> None:
    store_fact(bank, "Alice keeps tortoises.")
    gone = store_fact(bank, "Bob breeds axolotls.")
    delete(bank, gone)
    words = {block.lexeme for block in rows(bank, PostingBlock) if block.corpus == Corpus.UNIT}
    assert not any("axolotl" in word or "bob" in word for word in words)
    assert any("tortois" in word for word in words)
