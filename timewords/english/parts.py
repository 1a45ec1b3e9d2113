"""Parts of a year or of another longer time: seasons, quarters, holidays, the first Monday, the end of May."""

import re

from timewords.chart import Rule, glue, led_by, word
from timewords.english.amounts import UNIT, UNITS
from timewords.english.dates import Year
from timewords.english.numbers import BELOW_HUNDRED, ORDINAL, parse_number, parse_ordinal
from timewords.english.weekdays import WEEKDAY, weekday_number
from timewords.expressions import Value, When
from timewords.expressions.composed import Beside, DayIn, Edge, Nth, Open, Part, Range, Rest
from timewords.expressions.counted import Amount, At, CalendarUnit, Clock, ClockRange, During, Shifted
from timewords.expressions.recurring import HOLIDAY_NAMES, DayOfMonth, Holiday, Stretch, Turned, Weekday

_SEASONS = {
    "spring": 3, "springtime": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12, "wintertime": 12,
}  # fmt: skip
_SEASON = "|".join(sorted(_SEASONS, key=len, reverse=True))
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_HALVES = {"first": 1, "1st": 1, "second": 7, "2nd": 7, "latter": 7, "last": 7}
_STANDS_ALONE = r"(?=\s*(?:[.,;!?]|$)|\s(?:i|we|he|she|they|and|or|of|when|with)\b)"
_SEASON_LEAD = led_by("in", "in the", "during the", "over the", "since", "since the")
_GAME = re.compile(r"\b(?:games?|match|score[ds]?|points?|trailing|touchdown|team|coach|down (?:by )?\d+)\b")
_AROUND = 120  # characters beside a quarter in which a game shows


def _season(name: str) -> Stretch:
    return Stretch(first_month=_SEASONS[name], months=3)


def _quarter(number: int) -> Stretch:
    return Stretch(first_month=3 * number - 2, months=3)


def _quarter_of_year(match: re.Match[str]) -> Value | None:
    """A game has four quarters as well."""
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return None if _GAME.search(around) else _quarter(_QUARTERS[match[1]])


_SEASON_RULES = (
    Rule(
        (word(rf"(two|three|four|\d) ({_SEASON})s ago"),),
        lambda match: Turned(_season(match[2]), -int(parse_number(match[1]))),
    ),
    Rule((word(rf"({_SEASON})"),), lambda match: _season(match[1]), is_latent=True),
    Rule((word(rf"{_SEASON_LEAD}({_SEASON}){_STANDS_ALONE}"),), lambda match: _season(match[1])),
    Rule((word("q([1-4])"),), lambda match: _quarter(int(match[1]))),
    Rule(
        (word(rf"{led_by('in', 'during', 'since')}the ({'|'.join(_QUARTERS)})[- ]quarter(?! of){_STANDS_ALONE}"),),
        _quarter_of_year,
    ),
    Rule(
        (word(f"(?:the )?({'|'.join(_HALVES)}) half"),),
        lambda match: Stretch(first_month=_HALVES[match[1]], months=6),
        is_latent=True,
    ),
)


_HOLIDAY = "|".join(re.escape(name).replace(r"\ ", r"[ -]") for name in sorted(HOLIDAY_NAMES, key=len, reverse=True))
_FREE_DAYS = {"christmas": (1, 1), "easter": (2, 1), "thanksgiving": (0, 3)}  # before and after the holiday
_LONG = "|".join(name for name, rule in HOLIDAY_NAMES.items() if rule in _FREE_DAYS and not name.endswith("day"))
_NO_THING = (
    r"(?! (?:tree|card|carol|present|gift|song|movie|cookie|decoration|dinner|egg|bunny|basket|hunt|market|light"
    r"|ornament|cake|pudding|costume|candy|parade|jumper|sweater|wreath|stocking|list|recipe|turkey|roast)(?:s|es)?\b)"
)


def _holiday(match: re.Match[str]) -> Value:
    return Holiday(rule=HOLIDAY_NAMES[match[1].replace("-", " ")])


def _with_free_days(match: re.Match[str]) -> Value:
    rule = HOLIDAY_NAMES[match[1]]
    before, after = _FREE_DAYS[rule]
    return Holiday(rule=rule, before=before, after=after)


_HOLIDAY_RULES = (
    Rule((word(rf"(?:the )?({_HOLIDAY}){_NO_THING}"),), _holiday),
    Rule((word(rf"over (?:the )?({_LONG})(?! (?:day|eve|dinner|lunch|breakfast)\b)"),), _with_free_days),
    Rule((word("(?:the )?new year"),), lambda _: Holiday(rule="new year"), is_latent=True),
)


_NTH = rf"(?:the )?(?P<nth>{ORDINAL}|last)"
_LAST_DAY = 31


def _position(text: str) -> int:
    return -1 if text == "last" else parse_ordinal(text)


def _nth(match: re.Match[str], whole: When) -> Nth:
    if match["unit"] in UNITS:
        return Nth(_position(match["nth"]), UNITS[match["unit"]], whole)
    return Nth(_position(match["nth"]), "day", whole, weekday=weekday_number(match["unit"]))


def _nth_of_or_beside(match: re.Match[str], anchor: When) -> Value | None:
    """The second Monday of May, and the second Monday after Easter."""
    if match["link"] in ("of", "in"):
        return _nth(match, anchor)
    if match["unit"] in UNITS or isinstance(anchor, Open | Range):
        return None
    turn = -1 if match["link"] == "before" else 1
    nearest = Beside("day", turn, anchor, weekday=weekday_number(match["unit"]))
    return Shifted(Amount(((abs(_position(match["nth"])) - 1, "week"),)), turn, nearest)


def _first_or_last_few(match: re.Match[str], whole: When) -> Value:
    count = int(parse_number(match[2]))
    return Nth(-count if match[1] == "last" else 1, UNITS[match[3]], whole, count=count)


def _day_of_month(number: int) -> Value | None:
    return DayOfMonth(number) if 1 <= number <= _LAST_DAY else None


def _weekday_in(when: Nth, _: re.Match[str], day: Weekday) -> Value | None:
    return DayIn(day, when) if when.unit == "week" else None


_NTH_RULES = (
    Rule((word(rf"{_NTH} (?P<unit>{UNIT}|{WEEKDAY}) (?P<link>of|in|before|after)"), When), _nth_of_or_beside),
    Rule((word(rf"(?:the )?(last|first) (\d{{1,9}}|{BELOW_HUNDRED}) ({UNIT})s (?:of|in)"), When), _first_or_last_few),
    Rule((word(r"week (\d{1,2})"),), lambda match: Nth(int(match[1]), "week", CalendarUnit("year", 0))),
    Rule((word(r"week (\d{1,2}),?(?: of| in)?"), Year), lambda match, year: Nth(int(match[1]), "week", year)),
    Rule((word(rf"(?:the )?({ORDINAL})"),), lambda match: _day_of_month(parse_ordinal(match[1])), is_latent=True),
    Rule(
        (word(r"the (\d{1,2})(?= (?:between|from|at)\b)"),), lambda match: _day_of_month(int(match[1])), is_latent=True
    ),
    Rule(
        (word(r"(?<=on )(?:the )?(\d{1,2}(?:st|nd|rd|th))(?=\s*(?:[.,;!?-]|$)|\s+(?:and|i|we|he|she|they)\b)"),),
        lambda match: _day_of_month(parse_ordinal(match[1])),
    ),
    Rule(
        (DayOfMonth, glue("(?:day )?(?:of )(?:the )?"), CalendarUnit),
        lambda day, _, month: DayIn(day, month) if month.unit == "month" else None,
    ),
    Rule(
        (word(rf"{_NTH} (?P<unit>{WEEKDAY})"), ClockRange, glue("of|in"), When),
        lambda match, hours, _, whole: During(_nth(match, whole), hours),
    ),
    Rule((Nth, glue(r",?\s*(?:on )?"), Weekday), _weekday_in),
)


_EDGES: dict[str, Part] = {
    "early": "early", "beginning of": "early", "start of": "early", "mid": "mid", "middle of": "mid", "mid of": "mid",
    "late": "late", "end of": "late", "late in": "late", "early in": "early", "at the end of": "late",
}  # fmt: skip
_EDGE = "|".join(sorted(_EDGES, key=len, reverse=True))
_END_OF_DAY = Clock(23, 59, 59, grain="second")


def _edge(match: re.Match[str], whole: When) -> Value | None:
    return None if isinstance(whole, Edge | At) else Edge(_EDGES[match[1]], whole)


def _end_of_today(match: re.Match[str]) -> Value | None:
    """The phrase "at the end of the day, what matters is" names no day."""
    if match.string.endswith("at ", 0, match.start()) and match.string.startswith(",", match.end()):
        return None
    return At(CalendarUnit("day", 0), _END_OF_DAY)


_EDGE_RULES = (
    Rule((word("(?:the )?end of"), When), lambda _, day: At(day, _END_OF_DAY)),
    Rule((re.compile(rf"(?<![^\W_])(?:the )?({_EDGE})(?:-|(?![^\W_]))"), When), _edge),
    Rule(
        (word("(?:the )?((?:beginning|start|middle|end) of) (?:the )?(week|month|quarter|year)"),),
        lambda match: Edge(_EDGES[match[1]], CalendarUnit(match[2], 0)),
    ),
    Rule(
        (word("(?:the )?(?:rest|remainder) of the (day|week|month|quarter|year)"),),
        lambda match: Rest(CalendarUnit(match[1], 0)),
    ),
    Rule((word("(?:the )?(?:end of (?:the )?day|eod)"),), _end_of_today),
)

RULES = (*_EDGE_RULES, *_HOLIDAY_RULES, *_NTH_RULES, *_SEASON_RULES)
