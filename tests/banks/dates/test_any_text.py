from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from banks.dates import describe_date, find_dates, find_window, has_time_word, with_absolute_dates
from banks.dates.word_lists import listed

ZONES = st.sampled_from(
    [
        UTC,
        timezone(timedelta(hours=14)),
        timezone(timedelta(hours=-12)),
        ZoneInfo("Europe/Berlin"),
        ZoneInfo("America/New_York"),
    ]
)
MOMENTS = st.datetimes(timezones=ZONES)
PIECES = st.sampled_from(
    listed(
        "yesterday today next last this week month year Friday May 3 5pm at on in from to between and before after "
        "since the 2019 2024-02-29 2/29 99999999 weeks ago first two hours of 1990s weekend quarter end noon Easter "
        "31 February hier gestern semana pasada прошлой неделе 上周 3月3日 一百万年前 : - , . ( "
        "0 12:30 evening century spring"
    )
)
TEXTS = st.one_of(
    st.text(max_size=80), st.lists(PIECES, max_size=9).map(" ".join), st.lists(PIECES, max_size=7).map("".join)
)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, said_at=MOMENTS)
def test_any_text_at_any_moment_gives_sound_dates(text: str, said_at: datetime) -> None:
    dates = find_dates(text, said_at=said_at)
    position = 0
    for date in dates:
        assert position <= date.span[0] < date.span[1] <= len(text)
        assert text[slice(*date.span)] == date.text
        assert date.start is not None or date.end is not None
        if date.start is not None and date.end is not None:
            assert date.start < date.end
        assert describe_date(date.start, date.end, date.grain)
        assert isinstance(date.is_past, bool)
        position = date.span[1]


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, moment=MOMENTS)
def test_reading_twice_gives_the_same(text: str, moment: datetime) -> None:
    assert find_dates(text, said_at=moment) == find_dates(text, said_at=moment)
    assert find_window(text, asked_at=moment) == find_window(text, asked_at=moment)
    assert with_absolute_dates(text, said_at=moment) == with_absolute_dates(text, said_at=moment)
    assert has_time_word(text) == has_time_word(text)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, asked_at=MOMENTS)
def test_a_window_has_whole_days_in_order(text: str, asked_at: datetime) -> None:
    window = find_window(text, asked_at=asked_at)
    if window is None:
        return
    assert text[slice(*window.span)] == window.text
    if window.start is not None:
        assert (window.start.hour, window.start.minute) == (0, 0)
    if window.start is not None and window.end is not None:
        assert window.start < window.end
