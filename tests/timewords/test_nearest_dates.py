"""Dates in statements: the nearest year, weekdays that must agree, and amounts that are no dates."""

from datetime import UTC, datetime

import pytest

from timewords import find_dates

SAID_AT = datetime(2026, 5, 20, 10, tzinfo=UTC)  # a Wednesday


def read_days(text: str) -> list[str]:
    return [f"{found.start:%Y-%m-%d}" for found in find_dates(text, said_at=SAID_AT)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Dentist, 9 June", "2026-06-09"),
        ("Team photo, 9 April", "2026-04-09"),
        ("Concert, 30 December", "2025-12-30"),
        ("My flight leaves March 3", "2027-03-03"),
        ("I flew home on June 9", "2025-06-09"),
        ("Booked a table for March 3", "2027-03-03"),
        ("Photos of our trip on 9 June", "2025-06-09"),
    ],
)
def test_a_date_without_a_year_is_the_nearest_one_unless_words_decide(text: str, day: str) -> None:
    assert read_days(text) == [day]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Tuesday June 9 at 8:30", ["2026-06-09"]),
        ("Monday June 9 at 8:30", ["2025-06-09"]),
        ("Wir treffen uns am Dienstag, 9. Juni", ["2026-06-09"]),
        ("The exam is on Wednesday, May 13", ["2026-05-13"]),
        ("Thursday June 9 at 8:30", []),
        ("Monday, June 9, 2026", ["2026-06-09"]),
    ],
)
def test_a_weekday_chooses_the_year_and_outweighs_the_tense(text: str, days: list[str]) -> None:
    """A weekday that fits no year within two years gives no date. A written year outweighs the weekday."""
    assert read_days(text) == days


@pytest.mark.parametrize(
    ("text", "day"),
    [("Gym Friday 18:00", "2026-05-22"), ("Lunch with Ann on Wednesday", "2026-05-20")],
)
def test_a_weekday_without_a_verb_is_the_next_one_and_may_be_today(text: str, day: str) -> None:
    assert read_days(text) == [day]


def test_a_day_of_a_month_follows_the_date_before_it_in_the_sentence() -> None:
    assert read_days("We arrive on 14 July and leave on the 28th. Rent is due on the 30th.") == [
        "2026-07-14",
        "2026-07-28",
        "2026-05-30",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "10k in 58 minutes, new record!", "Read 300 pages in two days.", "He fixed it within two hours.",
        "She quit several weeks ago.", "We moved a couple of years after that.", "3,400 grams at 3,5 %",
        "Office hours: Monday to Thursday", "Our meeting days are Monday, Tuesday and Friday.",
        "Upgraded to version 12.4", "Ben has his birthday on November 30.",
    ],
)  # fmt: skip
def test_durations_vague_amounts_habits_and_numbers_are_no_dates(text: str) -> None:
    assert read_days(text) == []


@pytest.mark.parametrize("text", ["Born August 7, 3,400 grams", "Born August 7, 3400 grams", "Born August 7, 3.4 kg"])
def test_a_weight_after_a_date_is_neither_an_hour_nor_a_year(text: str) -> None:
    [found] = find_dates(text, said_at=SAID_AT)
    assert (found.text, found.grain) == ("August 7", "day")
    assert found.start == datetime(2025, 8, 7, tzinfo=UTC)
