from datetime import UTC, datetime, timedelta

import pytest

from banks.lifecycle.deciding.sameness import Telling, is_fuller_telling, tell_the_same, tells_all_of

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def telling(text: str, *, days: int = 0, occurred: datetime | None = None) -> Telling:
    return Telling(text, NOON + timedelta(days=days), occurred)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana has a dog named Rex.", "Ana owns a dog called Rex"),
        ("Ana said the kids love it.", "Ana says that the children love it."),
        ("On 2022-07-12, Ana read a book.", "Ana read a book on 2022-07-12."),
        ("Ana spent the day with her family at the shelter.", "Ana spent the day at the shelter with her family."),
        ("Ana has two cats.", "Ana has 2 cats."),
        ("Ana is very busy.", "Ana is busy."),
    ],
)
def test_what_differs_in_words_that_add_nothing_is_the_same(one: str, other: str) -> None:
    assert tell_the_same(telling(one), telling(other))
    assert tell_the_same(telling(other), telling(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana has two cats.", "Ana has three cats."),
        ("Ana likes Rome.", "Ben likes Rome."),
        ("Ana likes tea.", "Ana does not like tea."),
        ("Ana works at Acme.", "Ana worked at Acme."),
        ("Ana paid Ben.", "Ben paid Ana."),
        ("Ana prefers tea to coffee.", "Ana prefers coffee to tea."),
        ("Ana did not decide to go.", "Ana did decide not to go."),
        ("The dog bit the man on Monday.", "The man bit the dog on Monday."),
        ("Ana runs on Mondays.", "Ana runs on Tuesdays."),
        ("Ana moved to Rome.", "Ana moved from Rome."),
        ("Ana's sister bought a car.", "Ana bought a car."),
        ("Only Ana was at the party with Ben.", "Ana was only at the party with Ben."),
        ("", ""),
    ],
)
def test_what_differs_in_a_name_a_number_a_denial_or_a_role_is_not(one: str, other: str) -> None:
    assert not tell_the_same(telling(one), telling(other))


def test_the_same_words_of_two_days_are_two_events() -> None:
    monday, tuesday = (telling("Ana ran.", occurred=NOON + timedelta(days=day)) for day in (0, 1))
    assert not tell_the_same(monday, tuesday)
    assert not tell_the_same(monday, telling("Ana ran."))


@pytest.mark.parametrize(
    ("longer", "shorter", "expected"),
    [
        ("Ana moved to Rome, where her mother lives.", "Ana moved to Rome.", True),
        ("Ana moved to Rome. She likes it there.", "Ana moved to Rome.", True),
        ("Ana moved to Rome and Paris.", "Ana moved to Rome.", False),
        ("If it rains in Rome, Ana stays at home.", "Ana stays at home.", False),
        ("Yes, Ana.", "Yes.", False),
    ],
)
def test_a_text_tells_all_of_one_that_it_begins_with(longer: str, shorter: str, *, expected: bool) -> None:
    assert tells_all_of(telling(longer), telling(shorter)) is expected


def test_a_text_takes_the_place_of_one_that_was_told_the_same_day_and_is_not_much_shorter() -> None:
    short = "Ana moved to Rome."
    assert is_fuller_telling(telling("Ana moved to Rome, where she works."), telling(short))
    assert not is_fuller_telling(telling("Ana moved to Rome, where she works."), telling(short, days=2))
    much = "Ana moved to Rome, and so did Ben, his mother and six cats."
    assert not is_fuller_telling(telling(much), telling(short))


def test_who_says_yesterday_on_two_days_speaks_of_two() -> None:
    assert not tell_the_same(telling("Ana ran yesterday."), telling("Ana also ran yesterday.", days=2))
    assert tell_the_same(telling("Ana ran yesterday."), telling("Ana also ran yesterday."))
    assert not tells_all_of(telling("Ana ran home yesterday, in the rain."), telling("Ana ran home yesterday.", days=2))
