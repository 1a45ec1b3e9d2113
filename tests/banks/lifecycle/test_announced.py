"""What is told to change on a day to come: it is so until then, and closed on that day."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from banks.lifecycle.announced.due import close_due, find_next_end
from banks.lifecycle.delete import delete_units
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
LAST = datetime(2024, 8, 8, tzinfo=UTC)


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
        "I'm starting at Bosch on 1 March 2099.",
        "Starting in March 2099 I will work at Bosch.",
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
    say(bank, "As I said, from March 2099 I work at Bosch, they called.", at=LAST)
    assert list_steps(bank, find_unit(bank, "Siemens")) == ["announced"]


def test_what_tells_it_again_before_the_day_ends_with_it(bank: Bank) -> None:
    announce(bank)
    say(bank, "I still work at Siemens.", at=LAST)
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
    say(bank, "From June 2099 I work at Initech.", at=LAST)
    siemens, bosch = find_row(bank, "Siemens"), find_row(bank, "Bosch")
    assert (siemens.valid_until, siemens.superseded_by_id) == (DAY, bosch.id)
    assert (bosch.valid_until, bosch.superseded_by_id) == (LATER, find_row(bank, "Initech").id)
    unit = find_unit(bank, "Bosch")
    assert (unit.expired_at, unit.valid_until, unit.superseded_by_id) == (None, LATER, find_unit(bank, "Initech").id)


def test_another_change_on_the_same_day_has_its_place(bank: Bank) -> None:
    announce(bank)
    say(bank, "From March 2099 I work at Initech.", at=LAST)
    siemens, initech = find_row(bank, "Siemens"), find_row(bank, "Initech")
    assert (siemens.expired_at, siemens.valid_until, siemens.superseded_by_id) == (None, DAY, initech.id)
    for never_so in (find_row(bank, "Bosch"), find_unit(bank, "Bosch")):
        assert (never_so.close_reason, never_so.valid_from, never_so.valid_until) == ("update", DAY, DAY)
    assert find_unit(bank, "Siemens").superseded_by_id == find_unit(bank, "Initech").id


@pytest.mark.parametrize(
    ("first", "then", "day"),
    [
        ("From March 2099 I work at Bosch.", "From April 2099 I work at Bosch.", datetime(2099, 4, 1, tzinfo=UTC)),
        ("From March 2099 I work at Bosch.", "From February 2099 I work at Bosch.", datetime(2099, 2, 1, tzinfo=UTC)),
        ("I'm starting at Bosch in March 2099.", "I start at Bosch on 7 June 2099.", datetime(2099, 6, 7, tzinfo=UTC)),
        (
            "From March 2099 I work at Bosch, and they promised me a car, a desk, a phone and a parking space.",
            "From April 2099 I work at Bosch.",
            datetime(2099, 4, 1, tzinfo=UTC),
        ),
    ],
)
def test_what_is_put_off_or_forward_ends_the_former_on_its_new_day(
    bank: Bank, first: str, then: str, day: datetime
) -> None:
    announce(bank, first)
    say(bank, then, at=LAST)
    for siemens in (find_row(bank, "Siemens"), find_unit(bank, "Siemens")):
        assert (siemens.expired_at, siemens.valid_until) == (None, day)
    newest = units_of(bank)[-1]
    assert (find_row(bank, "Bosch").valid_from, newest.valid_from) == (day, day)
    assert find_unit(bank, "Siemens").superseded_by_id == newest.id
    former = find_unit(bank, "Bosch")
    assert (former.superseded_by_id == newest.id) is ("promised" not in former.text)


def test_what_was_put_off_goes_with_what_told_so(bank: Bank) -> None:
    announce(bank)
    say(bank, "From April 2099 I work at Bosch.", at=LAST)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, [units_of(bank)[-1].id])
    assert is_open(find_unit(bank, "Siemens"))
    assert is_open(find_row(bank, "Siemens"))
    assert "works_at Bosch" not in relationships_of(bank)


def test_what_is_so_before_its_day_holds_from_then_on(bank: Bank) -> None:
    announce(bank)
    say(bank, "I work at Bosch now.", at=LAST)
    siemens, bosch, newest = find_unit(bank, "Siemens"), find_unit(bank, "Bosch"), units_of(bank)[-1]
    assert (siemens.close_reason, siemens.valid_until) == ("update", LAST)
    assert (bosch.close_reason, bosch.superseded_by_id) == ("update", newest.id)
    assert (newest.valid_from, newest.expired_at) == (LAST, None)
    assert (find_row(bank, "Bosch").valid_from, find_row(bank, "Bosch").expired_at) == (LAST, None)


@pytest.mark.parametrize(
    ("news", "at", "is_outdated"),
    [
        ("From 1 February 2099 I work at Bosch.", AFTER.replace(day=1), True),  # said before it was put off
        ("From March 2099 I work at Bosch, you know.", LAST, False),  # vaguer
    ],
)
def test_what_tells_no_other_day_moves_nothing(bank: Bank, news: str, at: datetime, *, is_outdated: bool) -> None:
    announce(bank, "From 15 March 2099 I work at Bosch.")
    say(bank, news, at=at)
    day = datetime(2099, 3, 15, tzinfo=UTC)
    assert (find_unit(bank, "Siemens").valid_until, find_row(bank, "Siemens").valid_until) == (day, day)
    assert find_row(bank, "Bosch").valid_from == day
    closed = [unit for unit in units_of(bank) if unit.expired_at is not None]
    assert [unit.mentioned_at for unit in closed] == ([at] if is_outdated else [])


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


def chain(bank: Bank) -> None:
    announce(bank)
    say(bank, "From June 2099 I work at Initech.", at=LAST)


@pytest.mark.parametrize("change", [delete, correct, call_off])
def test_what_goes_out_of_a_chain_leaves_the_former_to_what_follows(
    bank: Bank, change: Callable[[Bank, MemoryUnit], None]
) -> None:
    chain(bank)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        change(bank, find_unit(bank, "Bosch"))
    for older, newer in (
        (find_unit(bank, "Siemens"), find_unit(bank, "Initech")),
        (find_row(bank, "Siemens"), find_row(bank, "Initech")),
    ):
        assert (older.expired_at, older.valid_until, older.superseded_by_id) == (None, LATER, newer.id)


@pytest.mark.parametrize("change", [correct, call_off])
def test_what_is_restored_has_its_place_in_the_chain_again(
    bank: Bank, change: Callable[[Bank, MemoryUnit], None]
) -> None:
    chain(bank)
    for step in (change, restore):
        with tenant_transaction(bank.tenant_id):
            lock_memory(bank)
            step(bank, find_unit(bank, "Bosch"))
    for find in (find_unit, find_row):
        siemens, bosch, initech = (find(bank, name) for name in ("Siemens", "Bosch", "Initech"))
        assert (siemens.expired_at, siemens.valid_until, siemens.superseded_by_id) == (None, DAY, bosch.id)
        assert (bosch.expired_at, bosch.valid_until, bosch.superseded_by_id) == (None, LATER, initech.id)


def test_what_another_tells_too_stays_announced_when_the_first_is_deleted(bank: Bank) -> None:
    announce(bank)
    say(bank, "As I said, from March 2099 I work at Bosch, they called.", at=LAST)
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
