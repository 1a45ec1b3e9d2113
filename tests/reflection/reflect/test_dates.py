from datetime import UTC, datetime, timedelta, timezone

import pytest

from reflection.reflect.builtin.elapsed import tell_elapsed
from reflection.reflect.dates import describe_edge, describe_occurrence
from tests.reflection.reflect.remembered import make_item

APRIL_25 = "Saturday, April 25, 2026"
ZONES = {hours: timezone(timedelta(hours=hours)) for hours in (-10, -7, 0, 5.75, 9, 13)}


def at(day: int, hour: float = 0, *, zone: float = 0) -> datetime:
    """In April, as the database gives it back."""
    return (datetime(2026, 4, day, tzinfo=ZONES[zone]) + timedelta(hours=hour)).astimezone(UTC)


@pytest.mark.parametrize("asked", ZONES)
@pytest.mark.parametrize("told", ZONES)
def test_a_day_that_was_told_is_that_day_wherever_the_question_comes_from(told: float, asked: float) -> None:
    fact = make_item(1, occurred_start=at(25, zone=told), occurred_end=at(26, zone=told), valid_from=at(25, zone=told))
    assert describe_occurrence(fact.candidate, ZONES[asked]) == APRIL_25
    assert describe_edge(at(25, zone=told), fact.candidate, ZONES[asked]) == APRIL_25
    today = datetime(2026, 5, 1, 12, tzinfo=ZONES[asked])
    assert tell_elapsed("How many days ago was it?", fact.candidate, today) == "6 days before"


@pytest.mark.parametrize(
    ("start", "end", "asked", "told"),
    [
        (at(25), at(25, 23.999), -7, APRIL_25),  # an end that is given as the last second
        (at(25), None, -7, APRIL_25),  # a plain date
        (at(1), datetime(2026, 5, 1, tzinfo=UTC), -7, "April 2026"),
        (at(24, zone=9), at(27, zone=9), -7, "Friday, April 24, 2026 to Sunday, April 26, 2026"),
        (at(26, 1), at(26, 2), -7, APRIL_25),  # moments are told in the zone of the question
        (at(26, 1), None, -7, APRIL_25),
        (at(25, 1.01), at(26, 1.01), -7, "Friday, April 24, 2026"),
        (datetime.min.replace(tzinfo=UTC), None, -7, "Monday, January 1, 1"),
    ],
)
def test_whole_days_are_told_as_they_were_and_moments_as_they_are_here(
    start: datetime, end: datetime | None, asked: float, told: str
) -> None:
    assert describe_occurrence(make_item(1, occurred_start=start, occurred_end=end).candidate, ZONES[asked]) == told
