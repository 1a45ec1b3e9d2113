"""Storing mentions in the database."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections

from banks.curation.renaming import rename_entity
from banks.entities.mentions import record_mentions
from banks.entities.types import Naming
from banks.enums import EntityKind
from banks.locking import lock_memory
from banks.models import Bank, CoOccurrence, Entity, EntityKey, EntityName, Mention
from banks.types import FoundEntity
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def person(name: str) -> FoundEntity:
    return FoundEntity(name, EntityKind.PERSON)


def naming(bank: Bank, *names: str, **fields: Any) -> Naming:
    unit = make_unit(Tenant(id=bank.tenant_id), bank=bank)
    return Naming(unit.id, tuple(person(name) for name in names), **{"seen_at": NOW} | fields)


def record(bank: Bank, *namings: Naming) -> list[Any]:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        return record_mentions(bank, namings)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def count_keys(bank: Bank) -> int:
    with tenant_transaction(bank.tenant_id):
        return EntityKey.objects.for_tenant(bank.tenant_id).count()


def watch(bank: Bank, *namings: Naming) -> list[str]:
    """The SQL statements that recording the mentions takes."""
    seen: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        record(bank, *namings)
    return seen


def entities_of(bank: Bank) -> dict[str, Entity]:
    with tenant_transaction(bank.tenant_id):
        return {entity.name: entity for entity in Entity.objects.of_bank(bank)}


def test_a_new_name_becomes_an_entity_and_is_found_again(bank: Bank) -> None:
    (first,) = record(bank, naming(bank, "Caroline Meyer"))
    (again,) = record(bank, naming(bank, "caroline meyer"))
    assert first.entity_id == again.entity_id
    entity = entities_of(bank)["Caroline Meyer"]
    assert (entity.kind, entity.mention_count) == ("PERSON", 2)


def test_a_nickname_joins_its_person_and_is_kept_as_an_alias(bank: Bank, tenant: Tenant) -> None:
    (first,) = record(bank, naming(bank, "Robert Chen"))
    (again,) = record(bank, naming(bank, "Bob Chen"))
    assert first.entity_id == again.entity_id
    with tenant_transaction(tenant.id):
        names = EntityName.objects.for_tenant(tenant.id).filter(entity_id=first.entity_id)
        assert {row.name for row in names} == {"Robert Chen", "Bob Chen"}


def test_the_most_complete_name_becomes_the_canonical_one(bank: Bank) -> None:
    record(bank, naming(bank, "Mel"))
    record(bank, naming(bank, "Melanie"))
    record(bank, naming(bank, "Mel"))
    assert set(entities_of(bank)) == {"Melanie"}


def firm(bank: Bank, name: str) -> Naming:
    return replace(naming(bank), entities=(FoundEntity(name, EntityKind.ORGANIZATION),))


def names_of(bank: Bank) -> dict[str, int]:
    with tenant_transaction(bank.tenant_id):
        return dict(EntityName.objects.for_tenant(bank.tenant_id).values_list("name", "uses"))


def test_every_spelling_is_kept_as_an_alias_with_its_uses(bank: Bank) -> None:
    for name in ("Google Inc.", "Google", "google  inc.", "Google", "GOOGLE"):
        record(bank, firm(bank, name))
    assert set(entities_of(bank)) == {"Google Inc."}
    assert names_of(bank) == {"Google Inc.": 5, "Google": 3}


def test_a_spelling_makes_no_other_canonical_name(bank: Bank) -> None:
    for name in ("José Chen", "Dr. José Chen", "Jose Chen"):
        record(bank, naming(bank, name))
    assert set(entities_of(bank)) == {"José Chen"}
    assert set(names_of(bank)) == {"José Chen", "Dr. José Chen", "Jose Chen"}


def test_no_more_spellings_than_a_few_are_kept_and_those_are_still_counted(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("banks.entities.store.MOST_NAMES", 3)
    record(bank, firm(bank, "Google"))
    record(bank, *(firm(bank, f"Google{form}") for form in (" Inc.", " Inc", " LLC", " Corp.")))
    record(bank, *(firm(bank, f"Google{form}") for form in (" Inc.", " Inc", " LLC", " Corp.")))
    assert names_of(bank) == {"Google": 9, "Google Inc.": 2, "Google Inc": 2}


def test_a_name_that_a_person_gave_stays(bank: Bank) -> None:
    (mel,) = record(bank, naming(bank, "Mel"))
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        rename_entity(bank, Entity.objects.of_bank(bank).get(id=mel.entity_id), name="Mel B", kind=None)
    record(bank, naming(bank, "Melanie Brown"), naming(bank, "Mel"))
    assert "Mel B" in entities_of(bank)


def test_people_who_appear_together_are_not_merged(bank: Bank) -> None:
    record(bank, naming(bank, "Alice Chen", "Alice Cooper"))
    assert set(entities_of(bank)) == {"Alice Chen", "Alice Cooper"}


def test_companions_are_counted_once_for_a_pair_and_unit(bank: Bank, tenant: Tenant) -> None:
    for _ in range(2):
        record(bank, naming(bank, "Caroline", "Melanie", "Tom"))
    with tenant_transaction(tenant.id):
        rows = list(CoOccurrence.objects.for_tenant(tenant.id))
    assert sorted(row.count for row in rows) == [2, 2, 2]


def test_a_name_that_is_known_gets_no_more_keys_and_another_spelling_does(bank: Bank) -> None:
    record(bank, naming(bank, "Caroline Meyer"))
    keys = count_keys(bank)
    statements = watch(bank, naming(bank, "Caroline Meyer"))
    assert not any("banks_entitykey (" in statement for statement in statements)
    record(bank, naming(bank, "Karoline Meyer"))
    assert count_keys(bank) > keys


@pytest.mark.parametrize(("companion", "is_he"), [("Eve", True), ("Kim", False)])
def test_earlier_co_mentions_resolve_a_name(bank: Bank, companion: str, *, is_he: bool) -> None:
    (john, _), later = record(bank, naming(bank, "John Smith", "Eve")), NOW + timedelta(days=20)
    smith, _ = record(bank, naming(bank, "Smith", companion, seen_at=later))
    assert (smith.entity_id == john.entity_id) is is_he


def test_the_first_and_last_time_and_the_speakers_are_noted(bank: Bank) -> None:
    record(bank, naming(bank, "Caroline", seen_at=NOW, speakers=frozenset({"Caroline"})))
    record(bank, naming(bank, "Caroline", seen_at=NOW - timedelta(days=9)))
    entity = entities_of(bank)["Caroline"]
    assert (entity.first_seen_at, entity.last_seen_at) == (NOW - timedelta(days=9), NOW)
    assert entity.is_speaker


def test_names_without_letters_are_left_out(bank: Bank) -> None:
    assert record(bank, naming(bank, "🎉", "...", "Tom")) != []
    assert set(entities_of(bank)) == {"Tom"}


def test_a_name_of_another_tenant_is_not_seen(bank: Bank) -> None:
    other = make_bank(make_tenant("zeta"))
    record(bank, naming(bank, "Caroline"))
    record(other, naming(other, "Caroline"))
    assert entities_of(bank)["Caroline"].id != entities_of(other)["Caroline"].id


def test_the_number_of_statements_does_not_grow_with_the_batch(bank: Bank) -> None:
    def count(size: int) -> int:
        batch = [naming(bank, f"Person{'abcdefghij'[n % 10]}{n}", "Tom") for n in range(size)]
        seen: list[str] = []

        def note(execute: Any, sql: str, *rest: Any) -> Any:
            seen.append(sql)
            return execute(sql, *rest)

        with tenant_transaction(bank.tenant_id), connection.execute_wrapper(note):
            record_mentions(bank, batch)
        return len(seen)

    record(bank, naming(bank, "Persona9", "Tom"))
    assert count(3) == count(60) <= 15


def test_eight_threads_that_meet_the_same_new_name_make_one_entity(committed_db: None) -> None:
    bank = make_bank(make_tenant("acme"))
    names = ["Caroline Meyer", "Robert Chen", "Bob Chen", "Melanie"]

    def meet(number: int) -> None:
        try:
            record(bank, naming(bank, names[number % 4], names[(number + 1) % 4 if number % 4 != 1 else 3]))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(meet, range(16)))
    found = entities_of(bank)
    assert len(found) == 3
    with tenant_transaction(bank.tenant_id):
        mentions = Mention.objects.for_tenant(bank.tenant_id).count()
    assert sum(entity.mention_count for entity in found.values()) == mentions
