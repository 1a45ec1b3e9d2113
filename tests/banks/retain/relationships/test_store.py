"""Relationships over time: told again, told otherwise, told late."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.retain.prepared import PreparedFact
from banks.retain.relationships.relations import Ending, beside
from banks.retain.storing.facts import store_facts
from banks.retain.types import ExtractedFact, FoundEntity, FoundRelationship
from banks.words import EntityKind, Network
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant

YEAR = {number: datetime(number, 1, 1, tzinfo=UTC) for number in range(2019, 2027)}
VECTOR = np.full(384, 0.05, dtype=np.float32)


def tell(
    bank: Bank,
    place: str,
    *,
    said: int,
    since: int | None = None,
    until: int | None = None,
    relation: str = "lives_in",
) -> None:
    found = FoundRelationship(
        "Alice",
        relation,
        place,
        f"Alice {relation} {place}.",
        valid_from=YEAR[since] if since else None,
        valid_until=YEAR[until] if until else None,
    )
    fact = ExtractedFact(
        text=f"In {said} Alice said {relation} {place}.",
        network=Network.WORLD,
        mentioned_at=YEAR[said],
        entities=(FoundEntity("Alice", EntityKind.PERSON), FoundEntity(place, EntityKind.LOCATION)),
        relationships=(found,),
    )
    with tenant_transaction(bank.tenant_id):
        store_facts(bank, [PreparedFact(fact, VECTOR, (), relationship_vectors=(VECTOR,))], speakers=frozenset())


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def rows_of(bank: Bank, **conditions: Any) -> dict[str, Relationship]:
    with tenant_transaction(bank.tenant_id):
        rows = Relationship.objects.for_tenant(bank.tenant_id).filter(**conditions).select_related("object")
        return {row.object.name if row.object else row.value: row for row in rows}


def test_what_is_said_again_is_proven_and_keeps_both_sources(bank: Bank) -> None:
    tell(bank, "Porto", said=2020)
    tell(bank, "Porto", said=2021)
    porto = rows_of(bank)["Porto"]
    assert (porto.proof_count, porto.mentioned_at) == (2, YEAR[2021])
    with tenant_transaction(bank.tenant_id):
        assert RelationshipSource.objects.for_tenant(bank.tenant_id).count() == 2


def test_another_value_closes_the_former_and_points_to_the_new(bank: Bank) -> None:
    tell(bank, "Porto", said=2020)
    tell(bank, "Lisbon", said=2023, since=2022)
    rows = rows_of(bank)
    assert (rows["Porto"].valid_until, rows["Porto"].close_reason) == (YEAR[2022], "update")
    assert rows["Porto"].expired_at is not None
    assert rows["Porto"].superseded_by_id == rows["Lisbon"].id
    assert rows["Lisbon"].expired_at is None


def test_what_takes_the_place_of_another_holds_since_it_was_said_at_the_latest(bank: Bank) -> None:
    tell(bank, "Porto", said=2020)
    tell(bank, "Lisbon", said=2023)
    assert rows_of(bank)["Lisbon"].valid_from == YEAR[2023]
    with tenant_transaction(bank.tenant_id):
        held = Relationship.objects.for_tenant(bank.tenant_id).true_at(YEAR[2021])
        assert [row.object.name for row in held.select_related("object") if row.object] == ["Porto"]


def test_a_thing_of_the_past_that_is_told_late_closes_nothing_newer(bank: Bank) -> None:
    tell(bank, "Lisbon", said=2024, since=2023)
    tell(bank, "Porto", said=2025, since=2020)
    assert rows_of(bank)["Lisbon"].expired_at is None


def test_a_thing_of_the_past_that_is_told_late_is_over_since_the_newer_began(bank: Bank) -> None:
    tell(bank, "Lisbon", said=2024)
    tell(bank, "Porto", said=2021)
    rows = rows_of(bank)
    porto, lisbon = rows["Porto"], rows["Lisbon"]
    assert (porto.valid_until, porto.close_reason, porto.superseded_by_id) == (YEAR[2024], "update", lisbon.id)
    assert porto.expired_at is not None
    assert (lisbon.expired_at, lisbon.valid_from) == (None, YEAR[2024])


def test_what_is_told_late_ends_with_what_came_next_even_if_that_is_over_too(bank: Bank) -> None:
    tell(bank, "Porto", said=2021)
    tell(bank, "Lisbon", said=2024)
    tell(bank, "Faro", said=2020)
    rows = rows_of(bank)
    assert (rows["Faro"].valid_until, rows["Faro"].superseded_by_id) == (YEAR[2021], rows["Porto"].id)


def test_what_is_told_late_with_its_own_end_keeps_that(bank: Bank) -> None:
    tell(bank, "Lisbon", said=2024)
    tell(bank, "Porto", said=2025, since=2020, until=2022)
    assert rows_of(bank)["Porto"].valid_until == YEAR[2022]


def test_what_holds_and_is_told_again_as_of_earlier_still_holds(bank: Bank) -> None:
    tell(bank, "Porto", said=2021)
    tell(bank, "Lisbon", said=2024)
    tell(bank, "Lisbon", said=2020)
    assert set(rows_of(bank, expired_at=None)) == {"Lisbon"}


def test_a_relation_that_may_have_many_objects_keeps_them_all(bank: Bank) -> None:
    tell(bank, "Porto", said=2020, relation="visited")
    tell(bank, "Lisbon", said=2021, relation="visited")
    assert set(rows_of(bank, expired_at=None)) == {"Porto", "Lisbon"}


def test_who_comes_back_lives_there_again(bank: Bank) -> None:
    tell(bank, "Porto", said=2020)
    tell(bank, "Lisbon", said=2022)
    tell(bank, "Porto", said=2024)
    assert set(rows_of(bank, expired_at=None)) == {"Porto"}
    assert len(rows_of(bank)) == 2  # by name; three rows in all
    with tenant_transaction(bank.tenant_id):
        assert Relationship.objects.for_tenant(bank.tenant_id).count() == 3


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Berlin", "Germany"),
        ("Germany", "Berlin"),
        ("Porto", "Europe"),
        ("Oakland", "California"),
        ("Texas", "the U.S."),
    ],
)
def test_who_lives_in_a_city_lives_in_its_country_too(bank: Bank, first: str, then: str) -> None:
    tell(bank, first, said=2022)
    tell(bank, then, said=2023)
    assert set(rows_of(bank, expired_at=None)) == {first, then}


@pytest.mark.parametrize(("known", "late"), [("Berlin", "Germany"), ("Germany", "Berlin")])
def test_a_country_that_is_heard_of_late_is_not_over_with_the_city(bank: Bank, known: str, late: str) -> None:
    tell(bank, known, said=2022)
    tell(bank, late, said=2021)
    assert set(rows_of(bank, expired_at=None)) == {"Berlin", "Germany"}


def test_who_moves_to_a_country_leaves_the_city(bank: Bank) -> None:
    tell(bank, "Berlin", said=2022)
    tell(bank, "Germany", said=2022)
    tell(bank, "Spain", said=2023, since=2023)
    assert set(rows_of(bank, expired_at=None)) == {"Spain"}


def test_who_lives_in_another_country_by_now_left_the_former(bank: Bank) -> None:
    tell(bank, "Berlin", said=2021)
    tell(bank, "Germany", said=2022)
    tell(bank, "Spain", said=2023)
    assert set(rows_of(bank, expired_at=None)) == {"Berlin", "Spain"}


def test_a_unit_that_tells_something_else_that_holds_stays(bank: Bank) -> None:
    works = [FoundRelationship("Ana", "works_at", firm, f"Ana works at {firm}.") for firm in ("Siemens", "Aldi")]
    both = (works[0], beside(works[1]))
    leaves = Ending("Ana", "works_at", "Siemens", "Ana works at Siemens.", valid_from=YEAR[2023])
    firms = tuple(FoundEntity(name) for name in ("Ana", "Siemens", "Aldi"))
    for text, said, told in (("Ana works at Siemens and Aldi.", 2022, both), ("Ana left Siemens.", 2023, (leaves,))):
        fact = ExtractedFact(text, Network.WORLD, YEAR[said], entities=firms, relationships=told)
        with tenant_transaction(bank.tenant_id):
            vectors = (VECTOR,) * len(told)
            store_facts(bank, [PreparedFact(fact, VECTOR, (), relationship_vectors=vectors)], speakers=frozenset())
    assert set(rows_of(bank, expired_at=None)) == {"Aldi"}
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).current().count() == 2
