"""Languages without a table here are read by dateparser, where a text holds one of their time words.

Without a language, dateparser tries two hundred of them and takes "me" and "do" for dates. So its own word lists choose
the language first, and each date must hold such a word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import Any

from dateparser.date import DateDataParser
from dateparser.search import search_dates

from timewords.expressions import Context
from timewords.folding import fold_word, listed
from timewords.intervals import Period, period_at

_BY_WORDS = ("pl", "sv", "da", "nb", "fi", "cs", "sk", "ro", "hu", "tr", "uk", "bg", "hr", "id", "vi")
_BY_SCRIPT = {
    "ja": re.compile(r"[\u3040-\u30ff]|[\u5148\u6765][\u9031\u6708\u5e74]|\u4eca\u9031"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
}
_NAMES = listed(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday"
)
_RELATIVE = tuple(
    key.format(unit) for key in ("0 {} ago", "1 {} ago", "in 1 {}") for unit in ("day", "week", "month", "year")
)
_ENGLISH = frozenset(_NAMES) | frozenset(
    listed("week month year hour minute second weekend today mars over last this next")
    + listed("maine marco julius augusta augustus marti talla")  # names
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST, _LONGEST = 5, 300
_PERIODS = frozenset({"day", "week", "month", "year"})


@dataclass(frozen=True, slots=True)
class ForeignDate:
    start: int
    end: int
    period: Period


def find_foreign_dates(text: str, ctx: Context) -> list[ForeignDate]:
    """`text` is the original text, as dateparser knows the words with their accents."""
    if len(text) > _LONGEST:
        return []
    language = find_foreign_language(text)
    return list(_search(text, language, ctx)) if language else []


def find_foreign_language(text: str) -> str | None:
    for code, script in _BY_SCRIPT.items():
        if script.search(text):
            return code
    votes = [code for word in _words(text) for code in _languages_by_word().get(word, ())]
    return max(_BY_WORDS, key=votes.count) if votes else None


def _words(text: str) -> list[str]:
    return [fold_word(word) for word in _WORD.findall(text)]


@cache
def foreign_words() -> frozenset[str]:
    return frozenset(_languages_by_word())


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for code in _BY_WORDS:
        for word in _time_words(code):
            found[word] = (*found.get(word, ()), code)
    return found


def _time_words(code: str) -> frozenset[str]:
    info: dict[str, Any] = import_module(f"dateparser.data.date_translation_data.{code}").info
    names = [name for key in _NAMES for name in info.get(key, ())]
    relative = [phrase for key in _RELATIVE for phrase in info.get("relative-type", {}).get(key, ())]
    words = {word for name in (*names, *relative) for word in _words(name)}
    return frozenset(word for word in words - _ENGLISH if len(word) >= (_SHORTEST if word.isascii() else 2))


def _search(text: str, language: str, ctx: Context) -> Iterator[ForeignDate]:
    settings: Any = {
        "RELATIVE_BASE": ctx.now,
        "PREFER_DATES_FROM": "future" if ctx.direction == "future" else "past",
        "PREFER_DAY_OF_MONTH": "first",
    }
    position = 0
    for phrase, moment in _ask(text, language, settings):
        start = text.find(phrase, position)
        if start < 0 or not _holds_time_word(phrase, language):
            continue
        position = start + len(phrase)
        period = _period(phrase, moment, language, settings)
        if period:
            yield ForeignDate(start, position, period)


def _ask(text: str, language: str, settings: Any) -> list[tuple[str, datetime]]:
    """A date outside of dateparser's range is no date."""
    try:
        found = search_dates(text, languages=[language], settings=settings)
        whole = DateDataParser(languages=[language], settings=settings).get_date_data(text).date_obj
    except (OverflowError, ValueError):
        return []
    return found or ([(text, whole)] if whole else [])


def _holds_time_word(phrase: str, language: str) -> bool:
    if language in _BY_SCRIPT:
        return any(character.isalpha() and not character.isascii() for character in phrase)
    return any(language in _languages_by_word().get(word, ()) for word in _words(phrase))


def _period(phrase: str, moment: datetime, language: str, settings: Any) -> Period | None:
    data = DateDataParser(languages=[language], settings=settings).get_date_data(phrase)
    unit = data.period if data.period in _PERIODS else "day"
    return period_at(moment.replace(tzinfo=None), unit)
