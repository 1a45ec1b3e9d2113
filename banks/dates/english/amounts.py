"""Lengths of time, and what is counted with them: ago, in, from, the last and the next so many."""

import re
from typing import Literal

from banks.dates.chart import Rule, glue, word
from banks.dates.english.anchors import OF_WHAT
from banks.dates.english.numbers import NUMBER, parse_number
from banks.dates.expressions.bounds import FarFrom, Lasting, Open
from banks.dates.expressions.steps import Ago, Amount, BusinessDays, CalendarUnit, Now, Run, Shifted, Within
from banks.dates.expressions.when import Value, When

UNITS = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "h": "hour",
    "day": "day", "night": "day", "week": "week", "wk": "week", "fortnight": "fortnight", "month": "month",
    "quarter": "quarter", "year": "year", "yr": "year", "decade": "decade", "century": "century", "centurie": "century",
    "weekend": "weekend",
}  # fmt: skip
UNIT = rf"(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})"
_VAGUE = {
    "a couple of": 2,
    "a couple": 2,
    "couple of": 2,
    "couple": 2,
    "a few": 3,
    "few": 3,
    "several": 3,
    "some": 3,
    "half a": 0.5,
    "half an": 0.5,
}
_COUNT = rf"(?:{'|'.join(sorted(_VAGUE, key=len, reverse=True))}|{NUMBER})"
_PAST = "last|past|previous|preceding"
_AHEAD = "next|coming|upcoming|following"
_PERFECT = re.compile(r"(?:\b(?:have|has)|'ve|'s been)\b(?:\s+[\w']+){1,6}\s*$")
_RUN_BEFORE = re.compile(rf"\b(?:{_PAST}|{_AHEAD}) \S+ \S+\s*$")
_MODAL = "will|would|can|could|may|might|must|should|shall"
_BEFORE_VERB = re.compile(
    rf"(?:\b(?:to|not|{_MODAL})|'ll|'d|n't|\b(?:{_MODAL}|does|do|did) (?:it|this|that|they|these|those))$"
)
_AUXILIARY = 20  # characters in which the words before it stand
_CLAUSE = 120  # characters before a length in which the words stand that belong to it
_LONG = "day|week|fortnight|month|year|decade"
_BUSINESS = "business days?|working days?|weekdays|workdays?"


def _count(text: str) -> float:
    return _VAGUE[text] if text in _VAGUE else parse_number(text)


def _amount(match: re.Match[str]) -> Value:
    unit = UNITS[match["unit"]]
    count = _count(match["count"]) + (0.5 if match["half"] else 0)
    return Amount(((count, unit),))


def _joined(first: Amount, between: re.Match[str], second: Amount) -> Value | None:
    """A length names each unit once, so that a list of lengths has no more readings than it has members."""
    if not first.units.isdisjoint(second.units):
        return None
    if _RUN_BEFORE.search(between.string, max(0, between.start() - _CLAUSE), between.start()):
        return None  # "for the last 3 months and 2 days ago" are two
    return Amount(first.parts + second.parts)


def _sign(name: str) -> Literal[-1, 1]:
    return -1 if name in _PAST.split("|") else 1


def _run(match: re.Match[str]) -> Value | None:
    if match["turn"] == "last" and _is_verb(match):
        return None
    count = _count(match["count"])
    return Run(Amount(((count, UNITS[match["unit"]]),)), _sign(match["turn"]))


def _is_verb(last: re.Match[str]) -> bool:
    """As in "it will last three weeks" and "the talks last an hour": how long something takes tells no time."""
    before = last.string[max(0, last.start() - _AUXILIARY) : last.start()].rstrip()
    takes_article = last["count"].startswith("a") and not before.endswith("the")
    return takes_article or _BEFORE_VERB.search(before) is not None


def _run_after_count(match: re.Match[str]) -> Value:
    sign = _sign(match["turn"])
    amount = Amount(((_count(match["count"]), UNITS[match["unit"]]),))
    return Run(amount, sign, from_tomorrow=sign > 0 and amount.smallest not in ("second", "minute", "hour"))


def _business_days(match: re.Match[str]) -> Value:
    return BusinessDays(int(_count(match["count"])), _sign(match["turn"]))


def _ago(amount: Amount) -> Value:
    if amount.smallest == "weekend":
        return CalendarUnit("weekend", -int(amount.parts[0][0]))
    return Ago(amount, -1)


def _shifted(amount: Amount, match: re.Match[str], anchor: When) -> Value:
    sign = -1 if match[1] in ("before", "prior to", "earlier than") else 1
    if isinstance(anchor, Now):
        return Ago(amount, sign)
    return Shifted(amount, sign, anchor, is_ahead=match[1] == "from")


def _still_going_on(match: re.Match[str], amount: Amount) -> Value | None:
    """Only the present perfect says that it goes on: "I have known her for four years", not "we met for an hour"."""
    if amount.smallest in ("second", "minute", "hour"):
        return None
    is_perfect = _PERFECT.search(match.string, max(0, match.start() - _CLAUSE), match.start())
    return Open("since", Ago(amount, -1)) if is_perfect else None


def _far_ago(match: re.Match[str], ago: Ago) -> Value:
    return FarFrom(match[1] == "more", ago.amount, ago.sign, CalendarUnit("day", 0))


def _far(match: re.Match[str], amount: Amount, side: re.Match[str], anchor: When) -> Value:
    return FarFrom(match[1] in ("more", "over"), amount, -1 if side[1] == "before" else 1, anchor)


_AMOUNT = rf"(?P<count>{_COUNT})(?P<half> and a half)?[ -]?(?P<unit>{UNIT})s?"
_SIDE = r"(before|after|from|prior to|earlier than|since|following)"

RULES = (
    Rule((word("for(?: about| around| over| almost| nearly)?"), Amount), _still_going_on),
    Rule((word(_AMOUNT),), _amount, is_latent=True),
    Rule((Amount, glue(r"(?:,?\s*and\b|,)?"), Amount), _joined, is_latent=True),
    Rule((Amount, glue("and a half")), lambda a, _: Amount(((a.parts[0][0] + 0.5, a.smallest),)), is_latent=True),
    Rule((Amount, word("ago|back|earlier|before now|previously")), lambda a, _: _ago(a)),
    Rule((Amount, word("from now|from right now|later than now|hence")), lambda a, _: Ago(a, 1)),
    Rule((word("in(?: about| around)?(?! the)"), Amount), lambda _, a: Ago(a, 1)),
    Rule((word("in a fortnight|in a fortnight's time"),), lambda _: Ago(Amount(((2, "week"),)), 1)),
    Rule((word(rf"(?P<turn>{_PAST}|{_AHEAD}) (?P<count>{_COUNT})[ -](?P<unit>{UNIT})s?"),), _run),
    Rule((word(rf"(?P<count>{_COUNT}) (?P<turn>{_PAST}|{_AHEAD}) (?P<unit>{UNIT})s?"),), _run_after_count),
    Rule((word(rf"(?P<turn>{_PAST}|{_AHEAD}) (?P<count>{_COUNT}) (?:{_BUSINESS})"),), _business_days),
    Rule((word("within(?: the)?"), Amount), lambda _, a: Within(a)),
    Rule((word("within(?: the)? next"), Amount), lambda _, a: Run(a, 1)),
    Rule((word("within the (?:last|past)"), Amount), lambda _, a: Run(a, -1)),
    Rule((Amount, word(_SIDE), glue(OF_WHAT), When), lambda amount, side, _, anchor: _shifted(amount, side, anchor)),
    Rule((word("(more|over|less|fewer) than"), Amount, word("(before|after|from)"), When), _far),
    Rule((word("(more|less|fewer) than"), Ago), _far_ago),
    Rule(
        (Ago, glue(r""), CalendarUnit),
        lambda ago, _, day: Shifted(ago.amount, ago.sign, day) if day.unit == "day" else None,
    ),
    Rule(
        (word(rf"(?:over|during|within) the (?:last|past) ({_LONG})|in the past ({_LONG})"),),
        lambda m: Run(Amount(((1, m[1] or m[2]),)), -1),
    ),
    Rule((word("for"), Amount, glue(r",?\s*(?:starting )?from"), When), lambda _, a, __, when: Lasting(when, a)),
)
