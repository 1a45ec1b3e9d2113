from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from retrieval.channels.temporal import DECAY, UNDATED, Dated, Window, score_closeness, spread_in_time
from timewords.types import END_OF_TIME, START_OF_TIME, TimeWindow

MAY = datetime(2023, 5, 1, tzinfo=UTC)
JUNE = datetime(2023, 6, 1, tzinfo=UTC)


def dated(number: int, middle: datetime, *, has_occurred: bool = True) -> Dated:
    return Dated(UUID(int=number), 0.8, middle.timestamp(), has_occurred)


def widen(start: datetime | None, end: datetime | None) -> Window:
    return Window.around(TimeWindow(start, end, "range", (0, 0), ""))


def test_the_middle_of_the_window_fits_best_and_its_ends_not_at_all() -> None:
    middle = MAY + (JUNE - MAY) / 2
    assert score_closeness(dated(1, middle), Window(MAY, JUNE)) == 1.0
    assert score_closeness(dated(1, MAY), Window(MAY, JUNE)) == 0.0
    quarter = MAY + (JUNE - MAY) / 4
    assert score_closeness(dated(1, quarter), Window(MAY, JUNE)) == pytest.approx(0.5)


def test_an_occurrence_that_reaches_far_beyond_the_window_is_clamped() -> None:
    assert score_closeness(dated(1, MAY + timedelta(days=200)), Window(MAY, JUNE)) == 0.0


def test_a_unit_without_a_date_counts_by_when_it_was_said_and_for_less() -> None:
    middle = MAY + (JUNE - MAY) / 2
    assert score_closeness(dated(1, middle, has_occurred=False), Window(MAY, JUNE)) == UNDATED


def test_in_an_open_window_all_fit() -> None:
    assert score_closeness(dated(1, JUNE), Window(MAY, None)) == 1.0
    assert score_closeness(dated(1, MAY), Window(None, JUNE)) == 1.0


def test_a_window_is_at_least_a_day_around_the_same_middle() -> None:
    hour = timedelta(hours=1)
    wide = widen(MAY, MAY + 2 * hour)
    assert wide == Window(MAY + hour - timedelta(hours=12), MAY + hour + timedelta(hours=12))
    assert widen(MAY, JUNE) == Window(MAY, JUNE)
    assert widen(MAY, None) == Window(MAY, None)


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])
def test_at_the_ends_of_the_calendar_a_window_is_the_day_beside_them(zone: timezone) -> None:
    first, last = START_OF_TIME.replace(tzinfo=zone), END_OF_TIME.replace(tzinfo=zone)
    day = timedelta(days=1)
    assert widen(last - day + timedelta(seconds=1), last) == Window(last - day, last)
    assert widen(last, last) == Window(last - day, last)
    assert widen(first, first + timedelta(hours=1)) == Window(first, first + day)


def test_closeness_spreads_to_units_within_a_day() -> None:
    units = [dated(1, MAY), dated(2, MAY + timedelta(hours=6)), dated(3, MAY + timedelta(hours=40))]
    reached = spread_in_time(units, {UUID(int=1): 1.0})
    assert reached == {UUID(int=1): 1.0, UUID(int=2): pytest.approx(0.75 * DECAY)}


def test_a_part_is_handed_on_and_the_higher_way_wins() -> None:
    units = [dated(number, MAY + timedelta(hours=20 * number)) for number in range(3)]
    reached = spread_in_time(units, {UUID(int=0): 1.0, UUID(int=2): 0.9})
    assert reached[UUID(int=1)] == pytest.approx(1.0 * 0.3 * DECAY)
    assert reached[UUID(int=2)] == 0.9
