"""Constraints and cascades of the database itself."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.utils import timezone

from banks.models import AnswerPurge, CachedAnswer, Chunk, MemoryUnit, Message, Relationship, UnitSource
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests import memory_factories as make
from tests.factories import make_bank, make_tenant

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant("acme")


BAD_UNITS: dict[str, dict[str, Any]] = {
    "unknown network": {"network": "rumour"},
    "an opinion without confidence": {"network": "opinion"},
    "confidence over one": {"network": "opinion", "confidence": 1.1},
    "a fact with confidence": {"network": "world", "confidence": 0.5},
    "an end without a start": {"occurred_end": NOW},
    "an end before its start": {"occurred_start": NOW, "occurred_end": NOW - timedelta(days=1)},
    "valid until before it began": {"valid_from": NOW, "valid_until": NOW - timedelta(days=1)},
    "closed without a reason": {"expired_at": NOW},
    "a reason without being closed": {"close_reason": "update"},
    "importance over one": {"importance": 2.0},
}


@pytest.mark.parametrize("fields", BAD_UNITS.values(), ids=BAD_UNITS.keys())
def test_a_unit_that_makes_no_sense_is_refused(tenant: Tenant, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make.make_unit(tenant, **fields)


def test_the_same_fact_is_held_once_until_it_is_closed(tenant: Tenant) -> None:
    bank = make_bank(tenant)
    first = make.make_unit(tenant, bank=bank, content_hash=b"same")
    with pytest.raises(IntegrityError, match="unit_told_once"), transaction.atomic():
        make.make_unit(tenant, bank=bank, content_hash=b"same")
    with tenant_transaction(tenant.id):
        MemoryUnit.objects.for_tenant(tenant.id).filter(id=first.id).update(expired_at=NOW, close_reason="update")
    make.make_unit(tenant, bank=bank, content_hash=b"same")


def test_a_message_can_not_be_changed_but_may_find_its_episode(tenant: Tenant) -> None:
    message = make.make_message(tenant)
    episode = make.make_episode(tenant)
    with tenant_transaction(tenant.id):
        rows = Message.objects.for_tenant(tenant.id).filter(id=message.id)
        for change in ({"content": "something else"}, {"said_at": NOW}, {"role": "assistant"}):
            with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                rows.update(**change)
        assert rows.update(episode=episode, extracted_at=NOW) == 1


@pytest.mark.parametrize("fields", [{"weight": 1.5}, {"type": "rhymes"}])
def test_a_link_that_makes_no_sense_is_refused(tenant: Tenant, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make.make_link(tenant, **fields)


def test_a_unit_is_not_linked_to_itself(tenant: Tenant) -> None:
    unit = make.make_unit(tenant)
    with pytest.raises(IntegrityError, match="link_not_to_itself"), transaction.atomic():
        make.make_link(tenant, source=unit, target=unit)


def test_a_relationship_is_held_once_even_where_its_object_is_a_value(tenant: Tenant) -> None:
    subject = make.make_entity(tenant)
    make.make_relationship(tenant, subject=subject)
    with pytest.raises(IntegrityError, match="relationship_held_once"), transaction.atomic():
        make.make_relationship(tenant, subject=subject)


def delete(table: str, row: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE id = %s", [row.id])


def test_a_deleted_document_takes_its_text_along(tenant: Tenant) -> None:
    document = make.make_document(tenant)
    make.make_chunk(tenant, document=document)
    with tenant_transaction(tenant.id):
        delete("banks_document", document)
        assert not Chunk.objects.for_tenant(tenant.id).exists()


def test_a_deleted_message_leaves_no_trace_of_having_been_a_source(tenant: Tenant) -> None:
    source = make.make_unit_source(tenant)
    with tenant_transaction(tenant.id):
        delete("banks_message", source.message)
        assert not UnitSource.objects.for_tenant(tenant.id).exists()
        assert MemoryUnit.objects.for_tenant(tenant.id).exists()


def test_a_deleted_successor_leaves_the_unit_that_it_superseded(tenant: Tenant) -> None:
    successor = make.make_unit(tenant)
    unit = make.make_unit(tenant, superseded_by=successor)
    with tenant_transaction(tenant.id):
        delete("banks_memoryunit", successor)
        unit.refresh_from_db()
    assert unit.superseded_by_id is None


def test_a_deleted_bank_leaves_nothing(tenant: Tenant) -> None:
    for factory in make.MEMORY.values():
        factory(tenant)
    with tenant_transaction(tenant.id), connection.cursor() as cursor:
        cursor.execute("DELETE FROM banks_bank")
        for model in set(make.MEMORY) - {AnswerPurge, CachedAnswer}:
            cursor.execute(f"SELECT count(*) FROM {model._meta.db_table}")
            assert cursor.fetchone() == (0,), model


def test_validity_is_asked_in_two_times(tenant: Tenant) -> None:
    """Ana lived in Porto from 2020, recorded in 2021. Her move of 2022 was recorded in 2023."""
    year = {number: NOW.replace(year=number, month=1, day=1) for number in range(2019, 2025)}
    bank = make_bank(tenant)
    make.make_relationship(
        tenant,
        bank=bank,
        value="Porto",
        valid_from=year[2020],
        valid_until=year[2022],
        recorded_at=year[2021],
        expired_at=year[2023],
        close_reason="update",
    )
    make.make_relationship(tenant, bank=bank, value="Lisbon", valid_from=year[2022], recorded_at=year[2023])
    make.make_relationship(
        tenant, bank=bank, value="Mars", recorded_at=year[2021], expired_at=year[2022], close_reason="correction"
    )
    with tenant_transaction(tenant.id):
        rows = Relationship.objects.for_tenant(tenant.id)

        def values(queryset: Any) -> set[str]:
            return set(queryset.values_list("value", flat=True))

        assert values(rows.current()) == {"Lisbon"}
        assert values(rows.known_at(year[2020])) == set()
        assert values(rows.known_at(year[2021] + timedelta(days=1))) == {"Porto", "Mars"}
        assert values(rows.known_at(year[2024])) == {"Lisbon"}
        assert values(rows.true_at(year[2019])) == set()
        assert values(rows.true_at(year[2021])) == {"Porto"}
        assert values(rows.true_at(year[2024])) == {"Lisbon"}
