"""Months, and dates of a month and a day."""

import re

from banks.dates.chart import Rule, glue, led_by, word
from banks.dates.english.final import is_of_own_thing
from banks.dates.english.numbers import BELOW_HUNDRED, ORDINAL, ORDINAL_WORD, parse_number, parse_ordinal
from banks.dates.english.years import Year, find_year
from banks.dates.expressions.steps import Ago, CalendarUnit
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import InYearOf, Month, MonthDay, Turned, Yearly

_NAMES = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
    "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
    "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
MONTH = rf"(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})"
_PLAIN = "january|february|july|september|october|november|december"  # never a first name or a verb
_TURNS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1, "following": 1}
_SHORT = "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
_STREET = r"(?! (?:street|road|avenue|lane|boulevard|st|rd|ave|blvd)\b)"  # "12 May Street" is an address
# A number in words counts what follows it: "we were in Rome in May two friends of mine".
_COUNTS = r"(?! (?:of|people|children|men|women|(?!is|was|has|this|as|us)[a-z]+s)\b)"
_DAY = rf"(?:{ORDINAL}|\d{{1,2}}|{BELOW_HUNDRED})"
_NO_VERB = rf"(?!{BELOW_HUNDRED} (?:may|march)\b)"  # "one may ask", "the two march on"
_DAY_IN_DIGITS = r"\d{1,2}(?:st|nd|rd|th)?"
# A full stop belongs to a short name ("Sept. 2"), not to a long one ("in September. Two friends"), and no number in
# words stands behind it or behind a comma ("in May, first of all").
_MONTH_FIRST = (
    rf"(?P<month>{MONTH})(?:[ ,/-]*(?:the )?(?P<day>{_DAY_IN_DIGITS})"
    rf"|[ -]*(?:the )?(?P<spelled>{ORDINAL_WORD}|{BELOW_HUNDRED}){_COUNTS})"
)
_SHORT_MONTH_FIRST = rf"(?P<month>{_SHORT})\.[ ,/-]*(?:the )?(?P<day>{_DAY_IN_DIGITS})"
_NO_CLOCK = r"(?![:\d]|\.\d| ?(?:am|pm|o'?clock)\b)"
_LAST_DAY = 31
_CENTURY, _PIVOT = 1900, 40  # two digits: 40 to 99 are of the last century


def month_number(name: str) -> int:
    return _NAMES[name]


def _month(match: re.Match[str]) -> Value:
    return Month(month=_NAMES[match[1]])


def day_number(text: str) -> int | None:
    number = parse_ordinal(text) if re.fullmatch(ORDINAL, text) else int(parse_number(text))
    return number if 1 <= number <= _LAST_DAY else None


def _month_day(match: re.Match[str]) -> Value | None:
    groups = match.groupdict()
    day = day_number(groups["day"] or groups.get("spelled") or "")
    return MonthDay(month=_NAMES[groups["month"]], day=day) if day else None


def _with_year(date: Yearly, _: re.Match[str], year: Year) -> Value | None:
    return date.with_year(year.number) if date.year is None else None


def _with_short_year(date: Yearly, match: re.Match[str]) -> Value | None:
    number = int(match[1]) + (_CENTURY if int(match[1]) >= _PIVOT else _CENTURY + 100)
    return date.with_year(number) if date.year is None and find_year(number) else None


def _year_first(year: Year, _: re.Match[str], date: Yearly) -> Value | None:
    return date.with_year(year.number) if date.year is None else None


def _in_year_of(date: Yearly, _: re.Match[str], when: CalendarUnit) -> Value | None:
    return InYearOf(date, when) if date.year is None and when.unit == "year" else None


def _years_ago(date: Yearly, _: re.Match[str], ago: Ago) -> Value | None:
    return InYearOf(date, ago) if date.year is None and ago.counts_years else None


def _turned(match: re.Match[str], date: Yearly) -> Value | None:
    return Turned(date, _TURNS[match[1]]) if date.year is None and not is_of_own_thing(match) else None


def _before_last(date: Yearly, _: re.Match[str]) -> Value | None:
    return Turned(date, -2) if date.year is None else None


def _after_next(date: Yearly, _: re.Match[str]) -> Value | None:
    return Turned(date, 2) if date.year is None else None


RULES = (
    Rule((word(rf"(?<![$#@])({MONTH})\.?"),), _month, is_latent=True),
    Rule((word(rf"({_PLAIN})(?!'s|\s+\d)"),), _month),
    Rule(
        (word(rf"{led_by('in', 'since', 'until', 'till', 'during', 'around')}({MONTH})(?!'s)"),),
        _month,
    ),
    Rule((re.compile(rf"^\W*({MONTH})\W*$"),), _month),
    Rule((word(rf"{_MONTH_FIRST}{_NO_CLOCK}"),), _month_day),
    Rule((word(rf"{_SHORT_MONTH_FIRST}{_NO_CLOCK}"),), _month_day),
    Rule(
        (
            word(
                rf"(?<![$./])(?<!\d:)(?:the )?{_NO_VERB}(?P<day>{_DAY})[ -]*(?:day )?(?:of )?(?P<month>{MONTH})"
                rf"(?![a-z']){_STREET}"
            ),
        ),
        _month_day,
    ),
    Rule((word(rf"(?P<month>{MONTH})(?P<day>\d{{1,2}})"),), _month_day),
    Rule((Yearly, glue(r"[.,/-]?\s*(?:(?:of|in) )?(?:the year )?"), Year), _with_year),
    Rule((Yearly, glue(r"(?:of '|'|in ')(\d\d)\b(?!:)")), _with_short_year),
    Rule((Yearly, glue(r"(?<=[a-z] )of (\d\d)\b(?!:)")), _with_short_year),  # not "3/4 of 12"
    Rule((Year, glue(r"[,/-]?\s*(?:the )?"), Yearly), _year_first),
    Rule((Yearly, glue(r",?\s*(?:of |in |is )?"), CalendarUnit), _in_year_of),
    Rule(
        (CalendarUnit, glue(r",?\s*(?:in|on|at)"), Yearly), lambda year, between, date: _in_year_of(date, between, year)
    ),
    Rule((Yearly, glue(r",?\s*"), Ago), _years_ago),
    Rule((Ago, glue(r",?\s*(?:in|on|at|during)(?: the)?"), Yearly), lambda ago, m, date: _years_ago(date, m, ago)),
    Rule((word("(last|past|previous|this|next|coming|upcoming|following)"), Yearly), _turned),
    Rule((Yearly, word("before last")), _before_last),
    Rule((Yearly, word("after next")), _after_next),
)
