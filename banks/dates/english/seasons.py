"""Seasons, quarters and halves of a year."""

import re

from banks.dates.chart import Rule, glue, led_by, word
from banks.dates.english.numbers import parse_number
from banks.dates.english.years import Year
from banks.dates.expressions.steps import CalendarUnit
from banks.dates.expressions.when import Value
from banks.dates.expressions.yearly import InYearOf, Stretch, Turned

_FIRST_MONTH = {
    "spring": 3,
    "springtime": 3,
    "summer": 6,
    "summertime": 6,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
    "wintertime": 12,
}
_NAMES = "|".join(sorted(_FIRST_MONTH, key=len, reverse=True))
_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}
_NTH_NAMES = "|".join(_NTH)
_QUARTERS = "|".join(name for name in _NTH if name != "last")  # which is the one before this
_ENDS = r"(?=\s*(?:[.,;!?]|$)|\s(?:i|we|he|she|they|and|or|of|when|with)\b)"
_GAME = re.compile(r"\b(?:games?|match|score[ds]?|points?|trailing|touchdown|team|coach|down (?:by )?\d+)\b")
_AROUND = 120  # characters beside a quarter in which a game shows
_HALVES = {"first": 1, "1st": 1, "second": 7, "2nd": 7, "latter": 7, "last": 7}


def _season(match: re.Match[str]) -> Value:
    return Stretch(first_month=_FIRST_MONTH[match[1]], months=3)


def _seasons_ago(match: re.Match[str]) -> Value:
    return Turned(Stretch(first_month=_FIRST_MONTH[match[2]], months=3), -int(parse_number(match[1])))


def _quarter(number: int) -> Stretch:
    return Stretch(first_month=3 * number - 2, months=3)


def _in_year(part: Stretch, _: re.Match[str], year: Year) -> Value:
    return part.with_year(year.number)


def _quarter_of_year(match: re.Match[str]) -> Value | None:
    """A game has four of them as well."""
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return None if _GAME.search(around) else _quarter(_NTH[match[1]])


def _half(match: re.Match[str]) -> Value:
    return Stretch(first_month=_HALVES[match[1]], months=6)


RULES = (
    Rule((word(rf"(two|three|four|\d) ({_NAMES})s ago"),), _seasons_ago),
    Rule((word(rf"({_NAMES})"),), _season, is_latent=True),
    Rule(
        (
            word(
                rf"{led_by('in', 'in the', 'during the', 'over the', 'since', 'since the')}({_NAMES})"
                rf"{_ENDS}"
            ),
        ),
        _season,
    ),
    Rule((word("q([1-4])"),), lambda m: _quarter(int(m[1]))),
    Rule((word(rf"(?:the )?({_NTH_NAMES})[- ]quarter"),), lambda m: _quarter(_NTH[m[1]]), is_latent=True),
    Rule(
        (word(rf"{led_by('in', 'during', 'since')}the ({_QUARTERS})[- ]quarter(?! of){_ENDS}"),),
        _quarter_of_year,
    ),
    Rule((word("(?:the )?(first|1st|second|2nd|latter|last) half"),), _half, is_latent=True),
    Rule((word("h([12])"),), lambda m: Stretch(first_month=6 * int(m[1]) - 5, months=6), is_latent=True),
    Rule((Stretch, glue("of (?:the )?"), Year), _in_year),
    Rule((Stretch, glue("of (?:the )?"), CalendarUnit), lambda p, _, u: InYearOf(p, u) if u.unit == "year" else None),
    Rule((Stretch, glue("of the year")), lambda p, _: InYearOf(p, CalendarUnit("year", 0))),
)
