"""Calendar dates: years, decades, months, a month and a day, and dates in digits."""

import re
from datetime import datetime

from timewords.chart import Rule, glue, led_by, word
from timewords.english.numbers import (
    BELOW_HUNDRED,
    ORDINAL,
    ORDINAL_WORD,
    parse_number,
    parse_ordinal,
    parse_spelled_year,
)
from timewords.expressions import Value
from timewords.expressions.counted import Ago, CalendarUnit, Exact, Instant
from timewords.expressions.recurring import InYearOf, Month, MonthDay, Yearly
from timewords.folding import listed
from timewords.intervals import Period, build_day, build_month, build_year, span_of

_LAST_MONTH, _LAST_DAY = 12, 31
_CENTURY, _PIVOT, _LEAP_YEAR = 100, 40, 2000
_LIKELY_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
# A bare number is a year unless a noun follows that it may count: "in 2019, we", not "2000 tokens".
_FOLLOWERS = (
    "and|or|to|till|until|through|but|was|were|is|are|i|we|he|she|they|it|you|when|with|at|in|on|for|from|by|the|my|our"
    "|because|so|then|as|that|which|who|did|do|does|have|has|had|will|would|vs|about|after|before|during|since|if"
)
_YEAR_ENDS = rf"(?=\s*(?:[.,;:!?)\]~]|-\s*\d{{4}}\b|$)(?!\d)|\s+(?:{_FOLLOWERS})\b)"
# After "in" and "since" only a word that may be counted makes a number of it: "in 2000 steps", not "in 2019 while".
_NOT_COUNTED = r"(?=\s+(?!people\b|men\b|women\b|children\b|feet\b)\w*[^\W\ds]\b)"
_NUMBERED_THING = re.compile(r"(?<!\bmid)(?<!\bpre)(?<!\bpost)(?<!\bfy)(?<!\bcy)(?<=[a-z])-$")  # "ticket ABC-2024"
_LAST_WORD = re.compile(r"([^\W\d_]+)\s*$")
_LONGEST_WORD = 40  # characters, with the spaces after it
_YEAR_LEADS = frozenset(
    listed(
        "in since until till before after during from by of for between to through around circa about than and or but "
        "not the early late mid on vs year years spring summer autumn fall winter back ago en im seit vor nach bis ab "
        "depuis avant apres desde hasta antes despues nel dal del dopo prima fino"
    )
)
_SPELLED_YEAR = (
    rf"(?:nineteen|eighteen|seventeen|sixteen|twenty) (?:hundred (?:and )?)?{BELOW_HUNDRED}"
    rf"|two thousand(?: (?:and )?{BELOW_HUNDRED})?"
)


class Year(Exact):
    """A calendar year by its number."""

    __slots__ = ()

    @property
    def number(self) -> int:
        return self.period_.start.year


def find_year(number: int) -> Year | None:
    period = build_year(number)
    return Year(period) if period else None


def _expand_year(two_digits: int) -> int:
    """40 to 99 are of the 20th century, 0 to 39 of the 21st."""
    return two_digits + (1900 if two_digits >= _PIVOT else 2000)


def _year(match: re.Match[str]) -> Value | None:
    return find_year(int(match[1]))


def _bare_year(match: re.Match[str]) -> Value | None:
    """A noun before the number names a thing ("Room 2019"); a preposition, or no word at all, leads to a year."""
    first = max(0, match.start() - _LONGEST_WORD)
    before = _LAST_WORD.search(match.string, first, match.start())
    if (before and before[1] not in _YEAR_LEADS) or _NUMBERED_THING.search(match.string, first, match.start()):
        return None
    return find_year(int(match[1]))


def _spelled_year(match: re.Match[str]) -> Value | None:
    return find_year(parse_spelled_year(match[1]))


_YEAR_RULES = (
    Rule((word(r"(?<![$€£#.:/,@+-])(?:the )?(?:calendar |cal )?(?:years?|cy)(?: of)? (\d{4})"),), _year),
    Rule((word(rf"(?<![$€£#.:/,@+])(?<!\d-)(?<!\d - )({_LIKELY_YEAR}){_YEAR_ENDS}"),), _bare_year),
    Rule((word(rf"(?:(?<=\bin )|(?<=\bsince ))({_LIKELY_YEAR}){_NOT_COUNTED}"),), _year),
    Rule((word(rf"(?<![$€£#.:@+\d])(?<!\d-)({_LIKELY_YEAR}|\d{{4}}{_YEAR_ENDS})"),), _year, is_latent=True),
    Rule((word(rf"({_SPELLED_YEAR})"),), _spelled_year, is_latent=True),
    Rule(
        (word("in|since|until|before|after|from|by|of"), glue(rf"({_SPELLED_YEAR}){_YEAR_ENDS}")),
        lambda _, match: _spelled_year(match),
    ),
)


_DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}  # fmt: skip
_DECADE_LEAD = f"(?:{led_by('in', 'the', 'early', 'late', 'mid')}|(?<=mid-))"
_LATEST_DECADE = 20  # "the twenties" are the 2020s, "the thirties" the 1930s


def _span_from(year: int, unit: str) -> Value | None:
    first = build_year(year)
    return Exact(span_of(first.start, unit)) if first else None


def _decade(number: int) -> Value | None:
    return _span_from((2000 if number <= _LATEST_DECADE else 1900) + number, "decade")


_DECADE_RULES = (
    Rule((word(r"(?:the )?((?:1[0-9]|20)\d0) ?'?s"),), lambda match: _span_from(int(match[1]), "decade")),
    Rule((word(rf"{_DECADE_LEAD}'?([1-9]0) ?'?s"),), lambda match: _decade(int(match[1]))),
    Rule((word(rf"{_DECADE_LEAD}({'|'.join(_DECADES)})"),), lambda match: _decade(_DECADES[match[1]])),
    Rule(
        (word(rf"(?:the )?({ORDINAL}) century"),),
        lambda match: _span_from((parse_ordinal(match[1]) - 1) * _CENTURY, "century"),
    ),
)


_MONTHS = {
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
    "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
    "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_ONLY_MONTHS = "january|february|july|september|october|november|december"  # neither a first name nor a verb
_SHORT_MONTHS = "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
_NO_STREET = r"(?! (?:street|road|avenue|lane|boulevard|st|rd|ave|blvd)\b)"  # "12 May Street"
_COUNTS_NOTHING = r"(?! (?:of|people|children|men|women|(?!is|was|has|this|as|us)[a-z]+s)\b)"  # "in May two friends"
_DAY = rf"(?:{ORDINAL}|\d{{1,2}}|{BELOW_HUNDRED})"
_NO_VERB = rf"(?!{BELOW_HUNDRED} (?:may|march)\b)"  # "one may ask", "the two march on"
_DAY_IN_DIGITS = r"\d{1,2}(?:st|nd|rd|th)?"
# A full stop belongs to a short name ("Sept. 2") but not to a long one ("in September. Two friends"). A number in words
# stands right after the month ("May third"), not after a comma ("in May, first of all").
_MONTH_FIRST = (
    rf"(?P<month>{MONTH})(?:[ ,/-]*(?:the )?(?P<day>{_DAY_IN_DIGITS})"
    rf"|[ -]*(?:the )?(?P<spelled>{ORDINAL_WORD}|{BELOW_HUNDRED}){_COUNTS_NOTHING})"
)
_SHORT_MONTH_FIRST = rf"(?P<month>{_SHORT_MONTHS})\.[ ,/-]*(?:the )?(?P<day>{_DAY_IN_DIGITS})"
_DAY_FIRST = rf"{_NO_VERB}(?P<day>{_DAY})[ -]*(?:day )?(?:of )?(?P<month>{MONTH})(?![a-z'])"
_NO_CLOCK = r"(?!:?\d|\.\d| ?(?:am|pm|o'?clock)\b)"


def day_number(text: str) -> int | None:
    number = parse_ordinal(text) if re.fullmatch(ORDINAL, text) else int(parse_number(text))
    return number if 1 <= number <= _LAST_DAY else None


def _month(match: re.Match[str]) -> Value:
    return Month(month=_MONTHS[match[1]])


def _month_day(match: re.Match[str]) -> Value | None:
    groups = match.groupdict()
    day = day_number(groups["day"] or groups.get("spelled") or "")
    return MonthDay(month=_MONTHS[groups["month"]], day=day) if day else None


def _with_year(date: Yearly, _: re.Match[str], year: Year) -> Value | None:
    return date.with_year(year.number) if date.year is None else None


def _with_short_year(date: Yearly, match: re.Match[str]) -> Value | None:
    return date.with_year(_expand_year(int(match[1]))) if date.year is None else None


def _in_year_of(date: Yearly, _: re.Match[str], when: CalendarUnit) -> Value | None:
    return InYearOf(date, when) if date.year is None and when.unit == "year" else None


def _years_ago(date: Yearly, _: re.Match[str], ago: Ago) -> Value | None:
    return InYearOf(date, ago) if date.year is None and ago.counts_years else None


_MONTH_RULES = (
    Rule((word(rf"(?<![$#@])({MONTH})\.?"),), _month, is_latent=True),
    Rule((word(rf"({_ONLY_MONTHS})(?!'s|\s+\d)"),), _month),
    Rule((word(rf"{led_by('in', 'since', 'until', 'till', 'during', 'around')}({MONTH})(?!'s)"),), _month),
    Rule((re.compile(rf"^\W*({MONTH})\W*$"),), _month),
    Rule((word(rf"{_MONTH_FIRST}{_NO_CLOCK}"),), _month_day),
    Rule((word(rf"{_SHORT_MONTH_FIRST}{_NO_CLOCK}"),), _month_day),
    Rule((word(rf"(?<![$./])(?<!\d:)(?:the )?{_DAY_FIRST}{_NO_STREET}"),), _month_day),
    Rule((Yearly, glue(r"[.,/-]?\s*(?:(?:of|in) )?(?:the year )?"), Year), _with_year),
    Rule((Yearly, glue(r"(?:of '|'|in ')(\d\d)\b(?!:)")), _with_short_year),
    Rule((Yearly, glue(r"(?<=[a-z] )of (\d\d)\b(?!:)")), _with_short_year),  # not "3/4 of 12"
    Rule((Year, glue(r"[,/-]?\s*(?:the )?"), Yearly), lambda year, between, date: _with_year(date, between, year)),
    Rule((Yearly, glue(r",?\s*(?:of |in |is )?"), CalendarUnit), _in_year_of),
    Rule(
        (CalendarUnit, glue(r",?\s*(?:in|on|at)"), Yearly), lambda year, between, date: _in_year_of(date, between, year)
    ),
    Rule((Yearly, glue(r",?\s*"), Ago), _years_ago),
    Rule(
        (Ago, glue(r",?\s*(?:in|on|at|during)(?: the)?"), Yearly),
        lambda ago, between, date: _years_ago(date, between, ago),
    ),
)


_BEFORE = r"(?<![\d.:$€£#+/])(?<!\d-)"
_AFTER = r"(?![\d/]|[.:,-]\d)"
_LEAD = rf"(?:{led_by('on', 'by', 'before', 'after', 'since', 'until', 'from', 'to', 'back')}|(?<=- )|(?<=day ))"


def _exact(period: Period | None) -> Value | None:
    return Exact(period) if period else None


def _order(first: int, second: int) -> tuple[int, int]:
    """Month and day. The month comes first unless that is impossible."""
    return (second, first) if first > _LAST_MONTH else (first, second)


def _parse_year(text: str) -> int:
    return int(text) if len(text) > len("24") else _expand_year(int(text))


def _year_month_day(match: re.Match[str]) -> Value | None:
    return _exact(build_day(int(match["y"]), int(match["m"]), int(match["d"])))


def _month_day_year(match: re.Match[str]) -> Value | None:
    month, day = _order(int(match["a"]), int(match["b"]))
    return _exact(build_day(_parse_year(match["y"]), month, day))


def _dotted(match: re.Match[str]) -> Value | None:
    """With dots the day comes first: 3.5.2024 is in May."""
    month, day = _order(int(match["b"]), int(match["a"]))
    return _exact(build_day(_parse_year(match["y"]), month, day))


def _slashed(match: re.Match[str]) -> Value | None:
    month, day = _order(int(match["a"]), int(match["b"]))
    return MonthDay(month=month, day=day) if build_day(_LEAP_YEAR, month, day) else None


def _named_month(match: re.Match[str]) -> Value | None:
    return _exact(build_day(int(match["y"]), _MONTHS[match["m"]], int(match["d"])))


def _year_and_month(match: re.Match[str]) -> Value | None:
    return _exact(build_month(int(match["y"]), int(match["m"])))


def _timestamp(match: re.Match[str]) -> Value | None:
    try:
        moment = datetime.fromisoformat(match[0].upper())
    except ValueError:
        return None
    unit = "second" if match["second"] else "minute"
    return Instant(moment, unit) if moment.tzinfo else Exact(span_of(moment, unit))


_Y, _M, _D = r"(?P<y>\d{4})", rf"(?P<m>{MONTH})", r"(?P<d>\d{1,2})"
_A, _B = r"(?P<a>\d{1,2})", r"(?P<b>\d{1,2})"
_NUMBERED_MONTH, _YEAR_OF_MONTH = r"(?P<m>0?[1-9]|1[0-2])", r"(?P<y>(?:19|20)\d\d)"

DIGIT_RULES = (
    Rule((word(r"\d{4}-\d\d-\d\dt\d\d:\d\d(?P<second>:\d\d(?:\.\d{1,6})?)?(?:z|[+-]\d\d:?\d\d)?"),), _timestamp),
    Rule(
        (re.compile(rf"(?<![\d.:/])(?<!\d-){_Y}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s){_D}(?!\d)(?=t\d|\D|$)"),),
        _year_month_day,
    ),
    Rule((word(rf"{_BEFORE}(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)"),), _year_month_day),
    Rule((word(rf"{_BEFORE}{_A}/{_B}/(?P<y>\d{{4}}|\d\d)(?![\d/])"),), _month_day_year),
    Rule((word(rf"{_BEFORE}{_A}-{_B}-(?P<y>\d{{4}})(?!\d)"),), _month_day_year),
    Rule((word(rf"(?<=-){_A}-{_B}-(?P<y>\d{{4}})(?!\d)"),), _month_day_year),
    Rule((word(rf"{_BEFORE}{_A}\.{_B}\.(?P<y>\d{{4}})(?!\d)"),), _dotted),
    Rule((word(rf"(?<=-){_A}/{_B}/(?P<y>\d{{4}}|\d\d)(?![\d/])"),), _month_day_year),
    Rule((word(rf"(?<![\d.:$/]){_A}/{_B}(?![\d/:.]\d)(?!/)"),), _slashed, is_latent=True),
    Rule((word(rf"{_LEAD}{_A}/{_B}{_AFTER}"),), _slashed),
    Rule((re.compile(rf"^\s*{_A}/{_B}\s*$"),), _slashed),
    Rule((word(rf"(?:(?<=\bon )|(?<=day )){_A}[.-]{_B}{_AFTER}"),), _slashed),
    Rule((word(rf"{_M}[-/]{_D}[-/]{_Y}"),), _named_month),
    Rule((word(rf"{_M}[-/]{_Y}[-/]{_D}"),), _named_month),
    Rule((word(rf"{_Y}[-/]{_D}[-/]{_M}"),), _named_month),
    Rule((word(rf"{_D}[-/]{_Y}[-/]{_M}"),), _named_month),
    Rule((word(rf"(?<![\d.:$/+-]){_NUMBERED_MONTH}[-/]{_YEAR_OF_MONTH}(?![\d/-])"),), _year_and_month),
    Rule((word(rf"(?<![\d.:$/+-]){_YEAR_OF_MONTH}-{_NUMBERED_MONTH}(?![\d/-])"),), _year_and_month),
)


def _same_day(unit: CalendarUnit, _: re.Match[str], date: Exact | MonthDay) -> Value | None:
    """Two names of one day: "tomorrow, 13/04/21"."""
    is_day = unit.unit == "day" and (isinstance(date, MonthDay) or date.period_.grain == "day")
    return date if is_day else None


RULES = (
    Rule((CalendarUnit, glue(r",?\s*(?:the )?"), (Exact, MonthDay)), _same_day),
    *_DECADE_RULES,
    *_MONTH_RULES,
    *DIGIT_RULES,
    *_YEAR_RULES,
)
