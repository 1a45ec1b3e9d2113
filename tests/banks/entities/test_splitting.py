"""Splitting an entity into two."""

from typing import Any
from uuid import UUID

import pytest

from banks.curation.merging import merge_entities
from banks.curation.splitting import Split, split_entity
from banks.entities.recount import find_chosen
from banks.enums import EntityKind
from banks.errors import EntityConflict
from banks.locking import lock_memory
from banks.models import Bank, CoOccurrence, Entity, EntityName, MemoryUnit, Mention, Relationship
from banks.types import FoundEntity
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.stored_facts import NOON, relation, store_fact


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def split(bank: Bank, whom: str, *names: str, unit_ids: frozenset[UUID] = frozenset(), **fields: Any) -> Entity:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        entity = Entity.objects.of_bank(bank).get(name=whom)
        return split_entity(bank, entity, Split(names=names, unit_ids=unit_ids, **fields))


def entities(bank: Bank) -> dict[str, int]:
    with tenant_transaction(bank.tenant_id):
        return {entity.name: entity.mention_count for entity in Entity.objects.of_bank(bank)}


def aliases(bank: Bank, name: str) -> set[str]:
    with tenant_transaction(bank.tenant_id):
        return {row.name for row in EntityName.objects.for_tenant(bank.tenant_id).filter(entity__name=name)}


def tell_of_robert(bank: Bank) -> None:
    store_fact(bank, "Robert Chen leads the team.", "Robert Chen")
    store_fact(bank, "Bob Chen plays the drums.", "Bob Chen", "Tom")
    assert entities(bank) == {"Bob Chen": 2, "Tom": 1}


def test_mentions_under_a_name_become_anothers(bank: Bank) -> None:
    tell_of_robert(bank)
    new = split(bank, "Bob Chen", "Bob Chen")
    assert entities(bank) == {"Robert Chen": 1, "Bob Chen": 1, "Tom": 1}
    assert (aliases(bank, "Robert Chen"), aliases(bank, "Bob Chen")) == ({"Robert Chen"}, {"Bob Chen"})
    with tenant_transaction(bank.tenant_id):
        (pair,) = CoOccurrence.objects.for_tenant(bank.tenant_id)
    assert new.id in {pair.first_id, pair.second_id}


def test_split_entities_are_not_merged_again_by_the_next_fact(bank: Bank) -> None:
    tell_of_robert(bank)
    split(bank, "Bob Chen", "Robert Chen")
    store_fact(bank, "Bob Chen bought a bicycle.", "Bob Chen")
    store_fact(bank, "Robert Chen went on leave.", "Robert Chen")
    store_fact(bank, "bob chen sold his drums.", "bob chen")
    assert entities(bank) == {"Robert Chen": 2, "Bob Chen": 3, "Tom": 1}


def test_an_entity_that_loses_its_canonical_name_takes_a_remaining_alias(bank: Bank) -> None:
    tell_of_robert(bank)
    split(bank, "Bob Chen", "Bob Chen")
    assert entities(bank) == {"Robert Chen": 1, "Bob Chen": 1, "Tom": 1}
    store_fact(bank, "Robert Chen went on leave.", "Robert Chen")
    assert entities(bank)["Robert Chen"] == 2


def test_memories_can_be_named_instead_where_both_have_one_name(bank: Bank) -> None:
    store_fact(
        bank, "Alice lives in Porto.", "Alice", relations=[relation("Alice", "lives_in", "Porto", object_is_value=True)]
    )
    berlin = store_fact(
        bank,
        "Alice studies in Berlin.",
        "Alice",
        relations=[relation("Alice", "studies_in", "Berlin", object_is_value=True)],
    )
    with pytest.raises(EntityConflict, match="Alice is the name of another entity"):
        split(bank, "Alice", unit_ids=frozenset({berlin}))
    new = split(bank, "Alice", unit_ids=frozenset({berlin}), name="Alice Berger")
    assert entities(bank) == {"Alice": 1, "Alice Berger": 1}
    with tenant_transaction(bank.tenant_id):
        rows = Relationship.objects.for_tenant(bank.tenant_id)
        assert {row.value: row.subject_id == new.id for row in rows} == {"Porto": False, "Berlin": True}
    store_fact(bank, "Alice Berger passed her exam.", "Alice Berger")
    assert entities(bank) == {"Alice": 1, "Alice Berger": 2}


def tell_of_google(bank: Bank, *names: str) -> None:
    for name in names:
        firm = FoundEntity(name, EntityKind.ORGANIZATION)
        store_fact(bank, f"{name} was in the news ({len(entities(bank))}).", entities=(firm,))


@pytest.mark.parametrize("first", ["Google", "Google Inc."])
def test_mentions_under_one_spelling_become_anothers(bank: Bank, first: str) -> None:
    tell_of_google(bank, first, "Google Inc.", "Google")
    (both,) = entities(bank)
    new = split(bank, both, "google inc.")
    assert new.name == "Google Inc."
    assert (aliases(bank, "Google Inc."), aliases(bank, "Google")) == ({"Google Inc."}, {"Google"})
    before = entities(bank)
    tell_of_google(bank, "Google Inc.")
    assert entities(bank) == before | {"Google Inc.": before["Google Inc."] + 1}


def test_only_a_name_that_a_person_gave_is_marked_as_such(bank: Bank) -> None:
    tell_of_robert(bank)
    rob = split(bank, "Bob Chen", "Robert Chen", name="Rob Chen")
    tell_of_google(bank, "Google", "Google Inc.")
    google = split(bank, "Google", "Google Inc.")
    with tenant_transaction(bank.tenant_id):
        assert find_chosen(bank, [rob.id, google.id]) == {rob.id: "rob chen"}


def merge_two_of_one_memory(bank: Bank) -> UUID:
    """Merge Bob Chen and Robert Chen, whom one memory both mentions."""
    unit_id = store_fact(
        bank,
        "Bob Chen met Robert Chen and Bob Smith in Berlin.",
        *("Bob Chen", "Robert Chen", "Bob Smith"),
        relations=[
            relation("Bob Chen", "likes", "tea", object_is_value=True),
            relation("Robert Chen", "likes", "rum", object_is_value=True),
        ],
    )
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        both = Entity.objects.of_bank(bank)
        merge_entities(bank, both.get(name="Bob Chen"), {both.get(name="Robert Chen").id})
    assert entities(bank) == {"Bob Chen": 1, "Bob Smith": 1}
    return unit_id


@pytest.mark.parametrize("going", ["Robert Chen", "Bob Chen"])
def test_a_merge_of_two_entities_of_one_memory_can_be_undone(bank: Bank, going: str) -> None:
    unit_id = merge_two_of_one_memory(bank)
    new = split(bank, "Bob Chen", going)
    assert (new.name, entities(bank)) == (going, {"Bob Chen": 1, "Robert Chen": 1, "Bob Smith": 1})
    assert (aliases(bank, "Robert Chen"), aliases(bank, "Bob Chen")) == ({"Robert Chen"}, {"Bob Chen"})
    with tenant_transaction(bank.tenant_id):
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=unit_id)
        assert {one.name: one.entity.name for one in mentions.select_related("entity")} == {
            name: name for name in ("Bob Chen", "Robert Chen", "Bob Smith")
        }
        rows = Relationship.objects.for_tenant(bank.tenant_id).select_related("subject")
        assert {row.value: row.subject.name for row in rows} == {"tea": "Bob Chen", "rum": "Robert Chen"}
        assert CoOccurrence.objects.for_tenant(bank.tenant_id).count() == 3


def test_a_name_inside_a_longer_one_is_no_mention_of_its_own(bank: Bank) -> None:
    store_fact(bank, "Alice Chen leads the team.", "Alice Chen")
    store_fact(bank, "Alice plays the drums.", "Alice")
    merge_of(bank, "Alice Chen", "Alice")
    assert entities(bank) == {"Alice Chen": 2}
    split(bank, "Alice Chen", "Alice")
    assert entities(bank) == {"Alice Chen": 1, "Alice": 1}


@pytest.mark.parametrize("names", [("Nobody",), ("Bob Chen", "Robert Chen")])
def test_a_split_that_moves_nothing_or_all_is_refused(bank: Bank, names: tuple[str, ...]) -> None:
    tell_of_robert(bank)
    with pytest.raises(EntityConflict):
        split(bank, "Bob Chen", *names)


def tell_of_work(bank: Bank, who: str, firm: str, **fields: Any) -> UUID:
    works = relation(who, "works_at", firm, object_is_value=True, valid_from=fields.get("occurred_start"))
    return store_fact(bank, f"{who} works at {firm}.", who, relations=[works], **fields)


def merge_of(bank: Bank, name: str, other: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        both = Entity.objects.of_bank(bank)
        merge_entities(bank, both.get(name=name), {both.get(name=other).id})


def jobs(bank: Bank) -> dict[str, Relationship]:
    with tenant_transaction(bank.tenant_id):
        return {row.value: row for row in Relationship.objects.for_tenant(bank.tenant_id)}


def is_open(row: Relationship | MemoryUnit) -> bool:
    return (row.expired_at, row.valid_until, row.superseded_by_id) == (None, None, None)


@pytest.mark.parametrize("year", [2025, 2099])
def test_a_relationship_that_a_fact_about_the_other_entity_ended_continues(bank: Bank, year: int) -> None:
    tell_of_work(bank, "Robert", "Nimbus")
    tell_of_work(bank, "Kite", "Orchid", occurred_start=NOON.replace(year=year))
    merge_of(bank, "Robert", "Kite")
    assert not is_open(jobs(bank)["Nimbus"])
    split(bank, "Robert", "Kite")
    assert {name: is_open(row) for name, row in jobs(bank).items()} == {"Nimbus": True, "Orchid": True}


@pytest.mark.parametrize("year", [2025, 2099])
def test_units_that_ended_this_way_continue_too(bank: Bank, year: int) -> None:
    nimbus = tell_of_work(bank, "Robert", "Nimbus")
    store_fact(bank, "Kite plays the drums.", "Kite")
    merge_of(bank, "Robert", "Kite")
    tell_of_work(bank, "Kite", "Orchid", occurred_start=NOON.replace(year=year))
    with tenant_transaction(bank.tenant_id):
        assert not is_open(MemoryUnit.objects.of_bank(bank).get(id=nimbus))
    split(bank, "Robert", "Kite")
    assert is_open(jobs(bank)["Nimbus"])
    with tenant_transaction(bank.tenant_id):
        assert is_open(MemoryUnit.objects.of_bank(bank).get(id=nimbus))


def test_later_facts_of_each_entity_end_its_own_relationships(bank: Bank) -> None:
    tell_of_work(bank, "Robert", "Nimbus")
    tell_of_work(bank, "Kite", "Orchid", occurred_start=NOON.replace(year=2025))
    merge_of(bank, "Robert", "Kite")
    tell_of_work(bank, "Robert", "Acme", mentioned_at=NOON.replace(year=2026))
    split(bank, "Robert", "Kite")
    now = jobs(bank)
    assert (now["Nimbus"].valid_until, now["Nimbus"].superseded_by_id) == (NOON.replace(year=2026), now["Acme"].id)
    assert (now["Nimbus"].close_reason, is_open(now["Orchid"])) == ("update", True)


def test_a_scheduled_end_of_its_own_is_found_again(bank: Bank) -> None:
    tell_of_work(bank, "Robert", "Nimbus")
    tell_of_work(bank, "Robert", "Acme", occurred_start=NOON.replace(year=2099))
    tell_of_work(bank, "Kite", "Orchid", occurred_start=NOON.replace(year=2098))
    merge_of(bank, "Robert", "Kite")
    assert jobs(bank)["Nimbus"].valid_until == NOON.replace(year=2098)
    split(bank, "Robert", "Kite")
    now = jobs(bank)
    assert (now["Nimbus"].valid_until, now["Nimbus"].superseded_by_id) == (NOON.replace(year=2099), now["Acme"].id)
    assert is_open(now["Orchid"])
