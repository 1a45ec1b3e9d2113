"""Merging entities that are the same."""

from typing import Any
from uuid import UUID

import pytest

from banks.curation.merging import merge_entities
from banks.errors import EntityConflict, EntityNotFound
from banks.locking import lock_memory
from banks.models import Bank, CoOccurrence, Entity, EntityName, Mention, Relationship
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.stored_facts import NOON, relation, store_fact


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def entity(bank: Bank, name: str) -> Entity:
    with tenant_transaction(bank.tenant_id):
        return Entity.objects.of_bank(bank).get(name=name)


def merge(bank: Bank, into: str, *others: str) -> Entity:
    ids = [entity(bank, other).id for other in others]
    return merge_ids(bank, into, *ids)


def merge_ids(bank: Bank, into: str, *ids: UUID) -> Entity:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        return merge_entities(bank, Entity.objects.of_bank(bank).get(name=into), ids)


def rows(bank: Bank, model: Any, **conditions: Any) -> list[Any]:
    with tenant_transaction(bank.tenant_id):
        return list(model.objects.for_tenant(bank.tenant_id).filter(**conditions))


def test_mentions_and_names_become_one_entitys(bank: Bank) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    store_fact(bank, "Diego Vega was at home.", "Diego Vega")
    store_fact(bank, "Zorro is Diego Vega.", "Zorro", "Diego Vega")
    merged = merge(bank, "Diego Vega", "Zorro")
    assert (merged.mention_count, len(rows(bank, Mention)), len(rows(bank, Entity))) == (3, 3, 1)
    assert {row.name for row in rows(bank, EntityName, entity=merged)} == {"Zorro", "Diego Vega"}
    assert rows(bank, CoOccurrence) == []


def test_a_later_mention_of_either_name_is_the_merged_entity(bank: Bank) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    store_fact(bank, "Diego Vega was at home.", "Diego Vega")
    merge(bank, "Diego Vega", "Zorro")
    store_fact(bank, "Zorro was seen again.", "Zorro")
    (only,) = rows(bank, Entity)
    assert only.mention_count == 3


def test_companions_are_counted_for_the_one(bank: Bank) -> None:
    store_fact(bank, "Zorro met Carmen.", "Zorro", "Carmen")
    store_fact(bank, "Diego Vega met Carmen.", "Diego Vega", "Carmen")
    merge(bank, "Diego Vega", "Zorro")
    (pair,) = rows(bank, CoOccurrence)
    assert pair.count == 2


def test_relationships_that_say_the_same_are_united(bank: Bank) -> None:
    store_fact(bank, "Zorro knows Carmen.", "Zorro", "Carmen", relations=[relation("Zorro", "knows", "Carmen")])
    store_fact(
        bank,
        "Diego Vega danced with Carmen.",
        "Diego Vega",
        "Carmen",
        relations=[relation("Diego Vega", "knows", "Carmen")],
    )
    merge(bank, "Diego Vega", "Zorro")
    (told,) = rows(bank, Relationship, expired_at=None)
    assert (told.proof_count, told.subject_id) == (2, entity(bank, "Diego Vega").id)
    (repeated,) = rows(bank, Relationship, close_reason="correction")
    assert (repeated.superseded_by_id, repeated.subject_id) == (told.id, told.subject_id)


def test_the_first_of_two_equal_relationships_may_be_the_others(bank: Bank) -> None:
    """Both rows are moved without holding at once."""
    store_fact(bank, "Zorro knows Carmen.", "Zorro", "Carmen", relations=[relation("Zorro", "knows", "Carmen")])
    store_fact(
        bank, "Diego Vega met her.", "Diego Vega", "Carmen", relations=[relation("Diego Vega", "knows", "Carmen")]
    )
    merge(bank, "Zorro", "Diego Vega")
    (told,) = rows(bank, Relationship, expired_at=None)
    assert told.proof_count == 2


def test_a_relationship_between_the_merged_entities_is_a_correction(bank: Bank) -> None:
    store_fact(
        bank, "Zorro knows Diego Vega.", "Zorro", "Diego Vega", relations=[relation("Zorro", "knows", "Diego Vega")]
    )
    merge(bank, "Diego Vega", "Zorro")
    (told,) = rows(bank, Relationship)
    assert told.expired_at is not None
    assert (told.close_reason, told.subject_id) == ("correction", told.object_id)


@pytest.mark.parametrize(("year", "is_over"), [(2022, True), (2099, False)])
def test_of_a_relation_with_one_value_the_newest_holds_as_soon_as_it_begins(
    bank: Bank, year: int, *, is_over: bool
) -> None:
    home = relation("Zorro", "lives_in", "Madrid", object_is_value=True, valid_from=NOON.replace(year=2020))
    store_fact(bank, "Zorro lives in Madrid.", "Zorro", relations=[home])
    home = relation("Diego Vega", "lives_in", "Toledo", object_is_value=True, valid_from=NOON.replace(year=year))
    store_fact(bank, "Diego Vega lives in Toledo.", "Diego Vega", relations=[home])
    merge(bank, "Diego Vega", "Zorro")
    (madrid,) = rows(bank, Relationship, value="Madrid")
    (toledo,) = rows(bank, Relationship, value="Toledo")
    assert (toledo.expired_at, madrid.superseded_by_id, madrid.valid_until) == (None, toledo.id, toledo.valid_from)
    assert (madrid.expired_at is not None) is is_over


def test_an_entity_is_not_merged_with_itself_or_with_another_tenants(bank: Bank) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    other = make_bank(make_tenant("zeta"))
    store_fact(other, "Carmen dances.", "Carmen")
    with pytest.raises(EntityConflict):
        merge(bank, "Zorro", "Zorro")
    for foreign in (entity(other, "Carmen").id, uuid7()):
        with pytest.raises(EntityNotFound):
            merge_ids(bank, "Zorro", foreign)


def test_the_kind_that_is_known_wins(bank: Bank) -> None:
    store_fact(bank, "Zorro rode out.", "Zorro")
    tenant = Tenant(id=bank.tenant_id)
    with tenant_transaction(tenant.id):
        Entity.objects.of_bank(bank).update(kind="OTHER")
    store_fact(bank, "Diego Vega was at home.", "Diego Vega")
    assert merge(bank, "Zorro", "Diego Vega").kind == "PERSON"
