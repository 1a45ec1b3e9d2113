from datetime import UTC, datetime, timedelta, timezone

import pytest

from reflection.reflect.dates import describe_edge, describe_occurrence
from tests.reflection.reflect.remembered import make_item

APRIL_25 = "Saturday, April 25, 2026"
ZONES = {hours: timezone(timedelta(hours=hours)) for hours in (-10, -7, 0, 5.75, 9, 13)}


def at(day: int, hour: float = 0, *, zone: float = 0) -> datetime:
    """A moment in April, in UTC like the database's."""
    return (datetime(2026, 4, day, tzinfo=ZONES[zone]) + timedelta(hours=hour)).astimezone(UTC)


@pytest.mark.parametrize("asked", ZONES)
@pytest.mark.parametrize("told", ZONES)
def test_a_stated_day_is_the_same_day_in_every_zone_of_the_question(told: float, asked: float) -> None:
    fact = make_item(1, occurred_start=at(25, zone=told), occurred_end=at(26, zone=told), valid_from=at(25, zone=told))
    assert describe_occurrence(fact.candidate, ZONES[asked]) == APRIL_25
    assert describe_edge(at(25, zone=told), fact.candidate, ZONES[asked]) == APRIL_25


@pytest.mark.parametrize(
    ("start", "end", "asked", "told"),
    [
        (at(25), at(25, 23.999), -7, APRIL_25),  # an end given as the last second of the day
        (at(25), None, -7, APRIL_25),  # a plain date
        (at(1), datetime(2026, 5, 1, tzinfo=UTC), -7, "April 2026"),
        (at(24, zone=9), at(27, zone=9), -7, "Friday, April 24, 2026 to Sunday, April 26, 2026"),
        (at(26, 1), at(26, 2), -7, APRIL_25),  # moments are shown in the zone of the question
        (at(26, 1), None, -7, APRIL_25),
        (at(25, 1.01), at(26, 1.01), -7, "Friday, April 24, 2026"),
        (datetime.min.replace(tzinfo=UTC), None, -7, "Monday, January 1, 1"),
    ],
)
def test_whole_days_stay_and_moments_are_converted_to_the_questions_zone(
    start: datetime, end: datetime | None, asked: float, told: str
) -> None:
    assert describe_occurrence(make_item(1, occurred_start=start, occurred_end=end).candidate, ZONES[asked]) == told
