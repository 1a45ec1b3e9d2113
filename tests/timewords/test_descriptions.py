from datetime import UTC, datetime

import pytest

from timewords import describe_date, find_dates, has_time_word, with_absolute_dates

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("yesterday", "Sunday, May 7, 2023"),
        ("last month", "April 2023"),
        ("last year", "2022"),
        ("last week", "week of Monday, May 1, 2023"),
        ("two weeks ago", "week of Monday, April 24, 2023"),
        ("three years ago", "2020"),
        ("from March to May 2022", "March 2022 to May 2022"),
        ("last summer", "June 2022 to August 2022"),
        ("Q3 2022", "Q3 2022"),
        ("in the 90s", "the 1990s"),
        ("since 2019", "since 2019"),
        ("before March 2020", "before March 2020"),
        ("until March 2020", "before April 2020"),
        ("after 2020", "since 2021"),
        ("last weekend", "Saturday, May 6, 2023 to Sunday, May 7, 2023"),
        ("yesterday at 5pm", "Sunday, May 7, 2023, 5 PM"),
        ("yesterday at 5:20 pm", "Sunday, May 7, 2023, 5:20 PM"),
        ("this morning", "Monday, May 8, 2023, 8 AM to 12 PM"),
        ("last night", "Sunday, May 7, 2023, 8 PM to 12 AM"),
    ],
)
def test_a_date_is_described_in_words(text: str, description: str) -> None:
    [date] = find_dates(text, said_at=SAID_AT)
    assert describe_date(date.start, date.end, date.grain) == description


def test_a_date_without_any_end_has_no_description() -> None:
    with pytest.raises(ValueError, match="without a start and an end"):
        describe_date(None, None, "day")


def test_relative_expressions_get_their_date_in_brackets_and_the_rest_stays() -> None:
    text = "Yesterday I  went\tto the café — and in March 2020 too; see you tomorrow!"
    assert with_absolute_dates(text, said_at=SAID_AT) == (
        "Yesterday (Sunday, May 7, 2023) I  went\tto the café — and in March 2020 too; "
        "see you tomorrow (Tuesday, May 9, 2023)!"
    )


def test_the_date_in_brackets_stays_in_its_sentence() -> None:
    text = "He leaves at the end of May. The rent is due in Dec. Ann comes at 8 p.m. on Dec. 3 next year."
    assert with_absolute_dates(text, said_at=SAID_AT) == (
        "He leaves at the end of May (Tuesday, May 16, 2023 to Wednesday, May 31, 2023). The rent is due in Dec "
        "(December 2023). Ann comes at 8 p.m. on Dec. 3 next year (Tuesday, December 3, 2024, 8 PM)."
    )


def test_a_text_without_relative_expressions_stays_as_it_is() -> None:
    text = "On 3 May 2020 it may have rained."
    assert with_absolute_dates(text, said_at=SAID_AT) == text


@pytest.mark.parametrize("text", ["what did I do recently", "over the holidays", "the week we met", "el año"])
def test_a_time_word_is_seen_where_no_range_is_named(text: str) -> None:
    assert has_time_word(text)


@pytest.mark.parametrize("text", ["who is my boss", "May I ask", "how many days did it take", "my birthday", ""])
def test_other_words_are_not_read_as_time_words(text: str) -> None:
    assert not has_time_word(text)
