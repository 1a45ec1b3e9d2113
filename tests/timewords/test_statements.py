from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from timewords import FoundDate, find_dates

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday


def read(text: str, said_at: datetime = SAID_AT) -> list[FoundDate]:
    return find_dates(text, said_at=said_at)


def written(moment: datetime | None) -> str:
    if moment is None:
        return "open"
    return moment.strftime("%Y-%m-%d" if moment.time().isoformat() == "00:00:00" else "%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("text", "words", "start", "end"),
    [
        ("I went to a support group yesterday", "yesterday", "2023-05-07", "2023-05-08"),
        ("we moved here in March", "March", "2023-03-01", "2023-04-01"),
        ("The meeting was moved from May 28 to June 4.", "from May 28 to June 4", "2023-06-04", "2023-06-05"),
        ("I broke my leg in 2019 while skiing", "2019", "2019-01-01", "2020-01-01"),
        ("In 2015 Anna got married", "2015", "2015-01-01", "2016-01-01"),
        ("Am Dienstag, den 6. Juni, kommt der Klempner.", "Dienstag, den 6. Juni", "2023-06-06", "2023-06-07"),
        ("we moved here in June", "June", "2022-06-01", "2022-07-01"),
        ("we will move there in June", "June", "2023-06-01", "2023-07-01"),
        ("I have lived in Rome since 2019", "since 2019", "2019-01-01", "open"),
        ("see you next Friday", "next Friday", "2023-05-19", "2023-05-20"),
        ("I saw her last Friday", "last Friday", "2023-05-05", "2023-05-06"),
        ("on Friday we went to the zoo", "Friday", "2023-05-05", "2023-05-06"),
        ("Yesterday, two people called", "Yesterday", "2023-05-07", "2023-05-08"),
        ("On Friday, five of us went out", "Friday", "2023-05-05", "2023-05-06"),
        ("on Friday we will go to the zoo", "Friday", "2023-05-12", "2023-05-13"),
        ("I met him two weeks ago", "two weeks ago", "2023-04-24", "2023-04-25"),
        ("We were in Spain last summer", "last summer", "2022-06-01", "2022-09-01"),
        ("the party was on 3 May", "3 May", "2023-05-03", "2023-05-04"),
        ("she was born on May 3rd, 1990", "May 3rd, 1990", "1990-05-03", "1990-05-04"),
        (
            "it was the weekend before my birthday on 3 May",
            "the weekend before my birthday on 3 May",
            "2023-04-29",
            "2023-05-01",
        ),
        ("I worked there from March to May", "from March to May", "2023-03-01", "2023-06-01"),
        ("from November to February we ski", "from November to February", "2022-11-01", "2023-03-01"),
        ("I called him yesterday at 5pm", "yesterday at 5pm", "2023-05-07 17:00", "2023-05-07 18:00"),
        ("it started at 8:30 am on Saturday", "8:30 am on Saturday", "2023-05-06 08:30", "2023-05-06 08:31"),
        ("I read a lot last night", "last night", "2023-05-07 20:00", "2023-05-08"),
        ("he left this morning", "this morning", "2023-05-08 08:00", "2023-05-08 12:00"),
        ("the flight is in three hours", "in three hours", "2023-05-08 16:56", "2023-05-08 17:56"),
        ("the trip was in late 2021", "late 2021", "2021-09-01", "2022-01-01"),
        ("she studied there in the nineties", "nineties", "1990-01-01", "2000-01-01"),
        ("vinyl was big in the 1980s", "the 1980s", "1980-01-01", "1990-01-01"),
        ("we met at Christmas 2020", "Christmas 2020", "2020-12-25", "2020-12-26"),
        ("we met at Easter", "Easter", "2023-04-09", "2023-04-10"),
        ("Thanksgiving 2022 was loud", "Thanksgiving 2022", "2022-11-24", "2022-11-25"),
        ("it was the first Monday of last month", "the first Monday of last month", "2023-04-03", "2023-04-04"),
        ("the last week of 2022 was quiet", "the last week of 2022", "2022-12-26", "2023-01-02"),
        ("sales in Q3 2022 were fine", "Q3 2022", "2022-07-01", "2022-10-01"),
        ("I quit before 2020", "before 2020", "open", "2020-01-01"),
        ("I quit after March 2020", "after March 2020", "2020-04-01", "open"),
        ("I ran it on 2022-10-16", "2022-10-16", "2022-10-16", "2022-10-17"),
        ("two days before yesterday it rained", "two days before yesterday", "2023-05-05", "2023-05-06"),
        ("We hiked over the weekend", "over the weekend", "2023-05-06", "2023-05-08"),
        ("Friday the 13th was fun", "Friday the 13th", "2023-01-13", "2023-01-14"),
        ("it was on Feb 29", "Feb 29", "2020-02-29", "2020-03-01"),
        ("in the last three months I slept badly", "last three months", "2023-02-08", "2023-05-08"),
        ("In the first half of 2022 I was ill", "the first half of 2022", "2022-01-01", "2022-07-01"),
        ("I have known her for four years", "for four years", "2019-05-08", "open"),
        ("They've been married for over 10 years now", "for over 10 years", "2013-05-08", "open"),
        ("two Fridays ago we danced", "two Fridays ago", "2023-04-28", "2023-04-29"),
        ("2 years and 3 months ago", "2 years and 3 months ago", "2021-02-08", "2021-02-09"),
        ("I am busy the rest of the week", "the rest of the week", "2023-05-08", "2023-05-15"),
        ("the call is a week from Friday", "a week from Friday", "2023-05-19", "2023-05-20"),
        ("it ran May 10-12, 2020", "May 10-12, 2020", "2020-05-10", "2020-05-13"),
        ("logged 2022-02-14T10:30:00+02:00", "2022-02-14T10:30:00+02:00", "2022-02-14 08:30", "2022-02-14 08:30"),
        ("more than two weeks ago", "more than two weeks ago", "open", "2023-04-24"),
        ("the summer of '69 was hot", "summer of '69", "1969-06-01", "1969-09-01"),
        ("two summers ago we sailed", "two summers ago", "2021-06-01", "2021-09-01"),
        ("I left before my birthday on May 3", "before my birthday on May 3", "open", "2023-05-03"),
        ("last year in May I quit", "last year in May", "2022-05-01", "2022-06-01"),
        ("it was week 3 of 2022", "week 3 of 2022", "2022-01-17", "2022-01-24"),
        ("half past six yesterday", "half past six yesterday", "2023-05-07 18:30", "2023-05-07 18:31"),
    ],
)
def test_an_expression_is_found_and_resolved(text: str, words: str, start: str, end: str) -> None:
    [date] = read(text)
    assert (date.text, written(date.start), written(date.end)) == (words, start, end)


@pytest.mark.parametrize(
    "text",
    [
        "It may rain", "You may ask me", "May I come in?", "they march on the town", "give me a second",
        "April and June are my sisters", "she teaches sunday school", "he sat in the sun", "a second round",
        "version 1.12.3 is out", "it costs $2019", "I have 2000 tokens", "the score was 3-2", "call 555-2019",
        "a 4:3 screen", "every Friday we run", "I run daily", "feb 30 2019", "on 31/31", "half a cup, 1/2",
        "We talked for two hours", "we were a team for four years", "99999999 weeks ago",
        "99999999999999999999 years ago", "open 24/7", "Room 2019 is free", "", "My last day. It was a pleasure.",
        "This is my last week.", "we were trailing big time in the 4th quarter. Our team won",
    ],
)  # fmt: skip
def test_a_text_without_a_time_has_none(text: str) -> None:
    assert read(text) == []


def test_several_expressions_come_in_order_with_their_spans() -> None:
    text = "We left Rome in 2015, came back last year and moved again yesterday."
    dates = read(text)
    assert [date.text for date in dates] == ["2015", "last year", "yesterday"]
    assert all(text[slice(*date.span)] == date.text for date in dates)


def test_the_grain_keeps_how_precise_it_was_said() -> None:
    [date] = read("I bought it two months ago")
    assert date.grain == "month"
    assert (written(date.start), written(date.end)) == ("2023-03-08", "2023-03-09")


def test_a_weekday_said_on_that_day_means_another_one() -> None:
    [date] = read("On Monday I was ill")
    assert written(date.start) == "2023-05-01"


def test_days_start_at_midnight_in_the_zone_of_the_speaker() -> None:
    said_at = datetime(2023, 5, 8, 1, 0, tzinfo=ZoneInfo("Asia/Tokyo"))
    [date] = read("yesterday", said_at)
    assert date.start is not None
    assert date.start.isoformat() == "2023-05-07T00:00:00+09:00"


def test_the_day_on_which_summer_time_starts_has_23_hours() -> None:
    said_at = datetime(2024, 3, 31, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    [date] = read("today", said_at)
    assert date.start is not None
    assert date.end is not None
    assert (date.end.astimezone(UTC) - date.start.astimezone(UTC)).total_seconds() == 23 * 3600


def test_an_hour_that_the_clock_skips_still_has_a_length() -> None:
    said_at = datetime(2024, 3, 10, 12, 0, tzinfo=ZoneInfo("America/New_York"))
    [date] = read("today from 2:30 am to 3:00 am", said_at)
    assert date.start is not None
    assert date.end is not None
    assert (date.end.astimezone(UTC) - date.start.astimezone(UTC)).total_seconds() == 30 * 60


def test_hours_are_counted_in_elapsed_time_over_a_change_of_the_clock() -> None:
    said_at = datetime(2024, 3, 31, 4, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    [date] = read("two hours ago", said_at)
    assert date.start is not None
    assert date.start.isoformat() == "2024-03-31T01:00:00+01:00"


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        read("yesterday", datetime(2023, 5, 8))  # noqa: DTZ001 the point of the test


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_are_no_error(year: int) -> None:
    for day in (datetime(year, 1, 1, tzinfo=UTC), datetime(year, 12, 31, 23, 59, 59, tzinfo=UTC)):
        for text in (
            "last year",
            "next year",
            "tomorrow",
            "yesterday",
            "next week",
            "this decade",
            "in May",
            "on Monday",
        ):
            assert len(read(text, day)) <= 1
