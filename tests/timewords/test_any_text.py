import sys
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timewords import describe_date, find, find_dates, find_window, has_time_word, with_absolute_dates
from timewords.folding import listed

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

NUMERIC = [character for character in map(chr, range(sys.maxunicode)) if character.isnumeric()]
SCRIPTS = [[chr(ord(zero) + value) for value in range(10)] for zero in NUMERIC if unicodedata.decimal(zero, None) == 0]
NUMBERS = st.one_of(
    st.builds(
        lambda digits, number: "".join(digits[int(digit)] for digit in str(number)),
        st.sampled_from(SCRIPTS),
        st.one_of(st.integers(0, 40), st.integers(1900, 2100), st.integers(0, 10**13)),
    ),
    st.sampled_from(["0", "00", "0000", "0001", "0002", "9998", "9999", "10000", "9" * 400, "1" * 5000, "一" * 5000]),
    st.lists(st.sampled_from(NUMERIC), min_size=1, max_size=6).map("".join),
)
NUMBERED = [
    "{} days ago", "in {} years", "before {}", "before year {}", "after {}", "since the year {}", "until {}",
    "{}-{}", "{} May {}", "May {}, {}", "{}/{}/{}", "{}.{}.{}", "{}-{}-{}", "week {} of {}",
    "the last {} days of {}", "first {} weeks of May", "next {} business days", "the {}s", "the {}th century",
    "the {}th of May", "at {}:{} yesterday", "{} summers ago", "May '{}", "q{} {}", "December {}",
    "vor {} Tagen", "am {}. Mai {}", "bis {}", "seit {}", "die letzten {} Jahre", "il y a {} jours",
    "le {} mai {}", "avant {}", "hace {} semanas", "el {} de mayo de {}", "antes de {}", "{} giorni fa",
    "il {} maggio {}", "prima del {}", "{} dagen geleden", "{} mei {}", "há {} anos", "{} de maio de {}",
    "{} дней назад", "{} мая {} года", "до {}", "{}年前", "{}年{}月{}日", "{}天后", "最近{}周", "{}年以前",
    "{}年以后", "{}週間前", "{}か月後", "{}年の夏", "{}일 전", "{}년 {}월", "قبل {} أيام", "{} مايو {}",
    "{} दिन पहले", "{} मई {}", "{} วันที่แล้ว", "{} maja {}", "{} gün önce", "לפני {} ימים", "πριν {} μέρες",
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def a_guarded_failure_is_a_failure_here() -> Iterator[None]:
    def fail(*_: object) -> None:
        raise AssertionError("a rule failed") from sys.exception()

    with patch.object(find.logger, "exception", fail):
        yield


@st.composite
def numbered_texts(draw: st.DrawFn) -> str:
    pattern = draw(st.sampled_from(NUMBERED))
    return pattern.format(*(draw(NUMBERS) for _ in range(pattern.count("{}"))))


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(numbered_texts(), min_size=1, max_size=2), moment=MOMENTS)
def test_numbers_of_any_script_and_size_are_read_or_left(texts: list[str], moment: datetime) -> None:
    text = " ".join(texts)
    for date in find_dates(text, said_at=moment):
        assert describe_date(date.start, date.end, date.grain)
    window = find_window(text, asked_at=moment)
    if window is not None and window.start is not None and window.last is not None:
        assert window.start <= window.last


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
