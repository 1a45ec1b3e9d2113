"""An observation ends on the day for which the end of its facts is announced."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from banks.lifecycle.announced.due import close_due
from banks.lifecycle.delete import delete_units
from banks.lifecycle.restore import restore_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitSource
from reflection.observations.builtin_observer import BuiltinObserver
from reflection.observations.marking import mark_stale
from reflection.observations.refreshing import Refreshing, refresh_entity
from reflection.observations.types import Observer
from tenants.transactions import tenant_transaction
from tests.banks.retain.test_updates import AFTER, BEFORE, say
from tests.hashed_embedder import HashedEmbedder
from tests.reflection.observations.test_validity import Saying

DAY, LATER = datetime(2099, 3, 1, tzinfo=UTC), datetime(2099, 6, 1, tzinfo=UTC)
NEWS, LEAVING = "From March 2099 I work at Bosch.", "I will leave Siemens on 1 March 2099."
LAST = datetime(2024, 8, 8, tzinfo=UTC)


def refresh(bank: Bank, observer: Observer | None = None) -> None:
    with tenant_transaction(bank.tenant_id):
        ids = list(Entity.objects.of_bank(bank).values_list("id", flat=True))
        mark_stale(bank, ids, now=timezone.now(), quiet=timedelta(0), is_altered=True)
    tools = Refreshing(observer or BuiltinObserver(), HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    for entity_id in ids:
        refresh_entity(bank, entity_id, tools)


def find_unit(bank: Bank, word: str) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).current().get(network="world", text__contains=word)


def observed(bank: Bank, word: str = "Siemens") -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        found = MemoryUnit.objects.of_bank(bank).filter(network="observation", text__contains=f"works at {word}")
        return found.order_by("-recorded_at")[0]


def come_to(bank: Bank, moment: datetime) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        close_due(bank, now=moment, actor="test")


@pytest.mark.parametrize("is_seen_before", [True, False])
@pytest.mark.parametrize("news", [NEWS, LEAVING])
def test_it_holds_until_the_day_and_is_closed_then(bank: Bank, news: str, *, is_seen_before: bool) -> None:
    say(bank, "I work at Siemens.", at=BEFORE)
    if is_seen_before:
        refresh(bank)
    say(bank, news, at=AFTER)
    if not is_seen_before:
        refresh(bank)

    one, until = observed(bank), find_unit(bank, "works at S").valid_until
    assert (one.valid_from, one.valid_until, one.expired_at) == (BEFORE, until, None)
    assert one.valid_until is not None
    assert one.announced_at is not None
    come_to(bank, LATER)
    assert (observed(bank).expired_at, observed(bank).valid_until) == (LATER, one.valid_until)


def put_off(bank: Bank) -> None:
    say(bank, "From June 2099 I work at Bosch.", at=LAST)


def take_back(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        restore_unit(bank, MemoryUnit.objects.of_bank(bank).get(id=find_unit(bank, "Siemens").id), actor="Bea")


def delete(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, [find_unit(bank, "Bosch").id])


@pytest.mark.parametrize(("change", "until"), [(put_off, LATER), (take_back, None), (delete, None)])
def test_it_follows_what_becomes_of_the_announcement(
    bank: Bank, change: Callable[[Bank], None], until: datetime | None
) -> None:
    say(bank, "I work at Siemens.", at=BEFORE)
    say(bank, NEWS, at=AFTER)
    refresh(bank)
    assert observed(bank).valid_until == DAY
    change(bank)
    assert (observed(bank).valid_until, observed(bank).announced_at is None) == (until, until is None)


def test_what_tells_the_change_too_is_so_already_and_ends_with_it(bank: Bank) -> None:
    say(bank, "I work at Siemens.", at=BEFORE)
    say(bank, NEWS, at=AFTER)
    told = [find_unit(bank, "Siemens").id, find_unit(bank, "Bosch").id]
    refresh(bank, Saying({"Ana works at Siemens, and at Bosch from March 2099.": told}))

    assert (observed(bank).valid_from, observed(bank).valid_until) == (BEFORE, DAY)
    come_to(bank, LATER)
    assert observed(bank).expired_at == LATER


def test_a_relationship_ends_though_its_fact_tells_more_that_goes_on(bank: Bank) -> None:
    say(bank, "I work at Siemens. My daughters live in Berlin and play the cello every week.", at=BEFORE)
    say(bank, LEAVING, at=AFTER)
    refresh(bank)

    assert find_unit(bank, "Berlin").valid_until is None
    with tenant_transaction(bank.tenant_id):
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=observed(bank), role="summarises")
        assert [one.other_unit_id for one in sources] == [find_unit(bank, "Berlin").id]
    assert (observed(bank).valid_from, observed(bank).valid_until is None) == (BEFORE, False)
