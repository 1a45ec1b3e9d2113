"""What is told to change on a day to come: it is so until then, and closed on that day."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from banks.lifecycle.delete import delete_units
from banks.lifecycle.due import close_due, find_next_end
from banks.lifecycle.edit import UnitEdit, edit_unit
from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.lifecycle.restore import restore_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, Relationship, UnitChange
from tenants.transactions import tenant_transaction
from tests.banks.retain.test_updates import AFTER, BEFORE, relationships_of, say, units_of
from tests.factories import make_bank, make_tenant

DAY = datetime(2099, 3, 1, tzinfo=UTC)
LATER = datetime(2099, 6, 1, tzinfo=UTC)


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def announce(bank: Bank, news: str = "From March 2099 I work at Bosch.") -> None:
    say(bank, "I work at Siemens.", at=BEFORE)
    say(bank, news, at=AFTER)


def find_unit(bank: Bank, word: str) -> MemoryUnit:
    return next(unit for unit in units_of(bank) if word in unit.text)


def find_row(bank: Bank, name: str) -> Relationship:
    return relationships_of(bank)[f"works_at {name}"]


def list_steps(bank: Bank, unit: MemoryUnit) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        steps = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit).order_by("id")
        return list(steps.values_list("action", flat=True))


def come_to(bank: Bank, moment: datetime) -> int:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        closed = close_due(bank, now=moment, actor="test")
        return len(closed.unit_ids) + len(closed.relationship_ids)


def is_open(row: MemoryUnit | Relationship) -> bool:
    return (row.expired_at, row.announced_at, row.valid_until, row.close_reason, row.superseded_by_id) == (
        None,
        None,
        None,
        "",
        None,
    )


@pytest.mark.parametrize(
    "news",
    [
        "From March 2099 I work at Bosch.",
        "Starting March 2099, I work at Bosch.",
        "As of 1 March 2099 I work at Bosch.",
        "From 1 March 2099 on I work at Bosch.",
        "I work at Bosch from March 2099.",
        "Effective March 1, 2099, I work at Bosch.",
        "I got a job at Bosch from March 2099.",
    ],
)
def test_it_is_so_until_the_day_that_was_told(bank: Bank, news: str) -> None:
    announce(bank, news)
    for older, newer in (
        (find_unit(bank, "Siemens"), find_unit(bank, "Bosch")),
        (find_row(bank, "Siemens"), find_row(bank, "Bosch")),
    ):
        assert (older.expired_at, older.close_reason) == (None, "")
        assert (older.valid_until, older.superseded_by_id) == (DAY, newer.id)
        assert (newer.expired_at, newer.valid_from) == (None, DAY)


@pytest.mark.parametrize("news", ["I have worked at Bosch from 2020 on.", "I work at Bosch since March 2020."])
def test_what_began_long_ago_is_news_of_the_day_on_which_it_is_told(bank: Bank, news: str) -> None:
    announce(bank, news)
    assert find_row(bank, "Siemens").valid_until == AFTER


def test_on_that_day_it_is_closed_once(bank: Bank) -> None:
    announce(bank)
    assert come_to(bank, timezone.now()) == 0
    with tenant_transaction(bank.tenant_id):
        assert find_next_end(bank) == DAY
    assert come_to(bank, LATER) == 2
    unit, row = find_unit(bank, "Siemens"), find_row(bank, "Siemens")
    for closed in (unit, row):
        assert (closed.expired_at, closed.valid_until, closed.close_reason) == (LATER, DAY, "update")
    assert list_steps(bank, unit) == ["announced", "superseded"]
    assert come_to(bank, LATER) == 0
    with tenant_transaction(bank.tenant_id):
        assert find_next_end(bank) is None


def test_the_same_news_told_twice_is_announced_once(bank: Bank) -> None:
    announce(bank)
    say(bank, "As I said, from March 2099 I work at Bosch, they called.", at=datetime(2024, 8, 8, tzinfo=UTC))
    assert list_steps(bank, find_unit(bank, "Siemens")) == ["announced"]


def test_what_tells_it_again_before_the_day_ends_with_it(bank: Bank) -> None:
    announce(bank)
    say(bank, "I still work at Siemens.", at=datetime(2024, 8, 8, tzinfo=UTC))
    assert {unit.valid_until for unit in units_of(bank) if "Siemens" in unit.text} == {DAY}


def test_what_comes_before_the_day_takes_its_place_until_then(bank: Bank) -> None:
    announce(bank)
    now = datetime(2024, 8, 8, tzinfo=UTC)
    say(bank, "I now work for Initech.", at=now)
    assert (find_unit(bank, "Siemens").valid_until, find_unit(bank, "Siemens").close_reason) == (now, "update")
    assert (find_row(bank, "Siemens").valid_until, find_row(bank, "Siemens").close_reason) == (now, "update")
    between, bosch = find_row(bank, "Initech"), find_row(bank, "Bosch")
    assert (between.expired_at, between.valid_until, between.superseded_by_id) == (None, DAY, bosch.id)


def test_a_later_change_ends_the_earlier_one(bank: Bank) -> None:
    announce(bank)
    say(bank, "From June 2099 I work at Initech.", at=datetime(2024, 8, 8, tzinfo=UTC))
    siemens, bosch = find_row(bank, "Siemens"), find_row(bank, "Bosch")
    assert (siemens.valid_until, siemens.superseded_by_id) == (DAY, bosch.id)
    assert (bosch.valid_until, bosch.superseded_by_id) == (LATER, find_row(bank, "Initech").id)


def test_another_change_on_the_same_day_has_its_place(bank: Bank) -> None:
    announce(bank)
    say(bank, "From March 2099 I work at Initech.", at=datetime(2024, 8, 8, tzinfo=UTC))
    siemens, initech = find_row(bank, "Siemens"), find_row(bank, "Initech")
    assert (siemens.expired_at, siemens.valid_until, siemens.superseded_by_id) == (None, DAY, initech.id)
    assert find_row(bank, "Bosch").expired_at is not None


def delete(bank: Bank, unit: MemoryUnit) -> None:
    delete_units(bank, [unit.id])


def correct(bank: Bank, unit: MemoryUnit) -> None:
    invalidate_unit(bank, unit, Invalidation("correction"))


def call_off(bank: Bank, unit: MemoryUnit) -> None:
    invalidate_unit(bank, unit, Invalidation("update"))


def restore(bank: Bank, unit: MemoryUnit) -> None:
    restore_unit(bank, unit, actor="test")


def reword(bank: Bank, unit: MemoryUnit) -> None:
    edit_unit(bank, unit, UnitEdit(text="I work at Siemens, Munich."), vector=None, actor="test", reason="")


@pytest.mark.parametrize(
    ("word", "change"),
    [("Bosch", delete), ("Bosch", correct), ("Bosch", call_off), ("Siemens", restore), ("Siemens", reword)],
)
def test_what_announced_it_or_somebody_takes_it_back(
    bank: Bank, word: str, change: Callable[[Bank, MemoryUnit], None]
) -> None:
    announce(bank)
    unit = find_unit(bank, word)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        change(bank, unit)
    assert is_open(find_unit(bank, "Siemens"))
    assert is_open(find_row(bank, "Siemens"))
    assert list_steps(bank, find_unit(bank, "Siemens"))[:2] == ["announced", "restored"]
    assert come_to(bank, LATER) == 0


def test_what_another_tells_too_stays_announced_when_the_first_is_deleted(bank: Bank) -> None:
    announce(bank)
    say(bank, "As I said, from March 2099 I work at Bosch, they called.", at=datetime(2024, 8, 8, tzinfo=UTC))
    first, second = (unit for unit in units_of(bank) if "Bosch" in unit.text)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, [first.id])
    unit = find_unit(bank, "Siemens")
    assert (unit.valid_until, unit.superseded_by_id) == (DAY, second.id)


def test_a_change_of_its_day_moves_the_end(bank: Bank) -> None:
    announce(bank)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        edit = UnitEdit(occurred_start=LATER, cleared=frozenset({"occurred_end"}))
        edit_unit(bank, find_unit(bank, "Bosch"), edit, vector=None, actor="test", reason="")
    assert find_unit(bank, "Siemens").valid_until == LATER
    assert come_to(bank, DAY) == 0
    assert come_to(bank, LATER) == 2


def test_what_was_closed_on_its_day_can_be_restored(bank: Bank) -> None:
    announce(bank)
    come_to(bank, LATER)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        restore_unit(bank, find_unit(bank, "Siemens"), actor="test")
    assert is_open(find_unit(bank, "Siemens"))
    assert is_open(find_row(bank, "Siemens"))


def test_an_end_without_a_successor_is_announced_too(bank: Bank) -> None:
    announce(bank, "As of March 2099 I no longer work at Siemens.")
    row = find_row(bank, "Siemens")
    assert (row.expired_at, row.valid_until) == (None, DAY)
    come_to(bank, LATER)
    assert find_row(bank, "Siemens").close_reason == "update"
