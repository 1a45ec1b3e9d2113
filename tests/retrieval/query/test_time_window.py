from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.query.time_window import write_time_out
from timewords import Grain, TimeWindow


def make_window(start: datetime | None, end: datetime | None, grain: Grain = "range") -> TimeWindow:
    return TimeWindow(start, end, grain, (0, 0), "")


def day(year: int, month: int, day_: int) -> datetime:
    return datetime(year, month, day_, tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "written"),
    [
        (make_window(day(2023, 3, 1), day(2023, 4, 1), "month"), "in March 2023 (2023-03-01 to 2023-03-31)"),
        (make_window(day(2023, 3, 5), day(2023, 3, 6), "day"), "on Sunday, March 5, 2023 (2023-03-05)"),
        (make_window(day(2023, 1, 1), day(2024, 1, 1), "year"), "in 2023 (2023-01-01 to 2023-12-31)"),
        (
            make_window(day(2023, 3, 6), day(2023, 3, 13), "week"),
            "in the week of Monday, March 6, 2023 (2023-03-06 to 2023-03-12)",
        ),
        (
            make_window(day(2023, 3, 1), day(2023, 6, 1)),
            "from March 2023 to May 2023 (2023-03-01 to 2023-05-31)",
        ),
        (make_window(day(2023, 3, 5), day(2023, 3, 6), "week"), "on Sunday, March 5, 2023 (2023-03-05)"),
        (make_window(day(2023, 3, 1), None, "month"), "since March 2023 (from 2023-03-01)"),
        (make_window(None, day(2023, 3, 1), "month"), "before March 2023 (until 2023-02-28)"),
    ],
)
def test_the_window_is_written_behind_the_query(window: TimeWindow, written: str) -> None:
    assert write_time_out("What did I do?", window) == f"What did I do? {written}"


def test_without_a_window_the_query_stays() -> None:
    assert write_time_out("What did I do?", None) == "What did I do?"
    assert write_time_out("What did I do?", make_window(None, None)) == "What did I do?"


ZONES = st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])
MOMENTS = st.none() | st.datetimes(timezones=ZONES)
GRAINS = st.sampled_from(["hour", "day", "week", "month", "quarter", "year", "decade", "century", "range"])


@given(MOMENTS, MOMENTS, GRAINS)
def test_any_window_can_be_written(start: datetime | None, end: datetime | None, grain: Grain) -> None:
    if start and end and end < start:
        start, end = end, start
    assert write_time_out("tea", make_window(start, end, grain)).startswith("tea")
