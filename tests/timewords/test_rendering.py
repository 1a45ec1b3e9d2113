"""The exact forms of days and months: vectors and hashes of stored texts depend on them."""

import calendar
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from timewords.rendering import (
    MONTHS,
    WEEKDAYS,
    write_day,
    write_day_first,
    write_day_of_week,
    write_day_of_week_first,
    write_day_of_year,
    write_month,
    write_two_digit_day,
    write_weekday,
)

FORMS: dict[Callable[[datetime], str], tuple[str, str]] = {
    write_month: ("June 2024", "January 33"),
    write_weekday: ("Saturday", "Monday"),
    write_day: ("June 8, 2024", "January 3, 33"),
    write_two_digit_day: ("June 08, 2024", "January 03, 33"),
    write_day_of_year: ("June 8", "January 3"),
    write_day_first: ("8 June 2024", "3 January 33"),
    write_day_of_week: ("Saturday, June 8, 2024", "Monday, January 3, 33"),
    write_day_of_week_first: ("Saturday, 08 June 2024", "Monday, 03 January 33"),
}


@pytest.mark.parametrize(("write", "told"), FORMS.items(), ids=[write.__name__ for write in FORMS])
def test_the_written_forms_never_change(write: Callable[[datetime], str], told: tuple[str, str]) -> None:
    assert (write(datetime(2024, 6, 8, 20, tzinfo=UTC)), write(datetime(33, 1, 3, tzinfo=UTC))) == told


def test_the_names_are_those_of_the_calendar() -> None:
    """The tests run in the C locale, whose names are English."""
    assert (list(MONTHS), list(WEEKDAYS)) == (list(calendar.month_name)[1:], list(calendar.day_name))
    days = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=31 * step) for step in range(12)]
    assert [write_day_of_week_first(day) for day in days] == [f"{day:%A, %d %B %Y}" for day in days]
