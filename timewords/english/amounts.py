"""Lengths of time and times counted with them: "two weeks ago", "in three days", "the last two months"."""

import re
from typing import Literal

from timewords.chart import Rule, glue, word
from timewords.english.numbers import NUMBER, parse_number
from timewords.expressions import Value, When
from timewords.expressions.composed import FarFrom, Lasting, Open
from timewords.expressions.counted import Ago, Amount, BusinessDays, CalendarUnit, Now, Run, Shifted, Within

# The noun that a date belongs to: "before my birthday on 3 May", "after our wedding in June".
OF_WHAT = (
    r"(?:(?:my|our|his|her|their|your)\s+(?:[\w'-]+\s+){1,4}?(?:on|in|of)\s+"
    r"|(?:the|an?)\s+(?:[\w'-]+\s+){1,3}?on\s+)?"
)
UNITS = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "h": "hour",
    "day": "day", "night": "day", "week": "week", "wk": "week", "fortnight": "fortnight", "month": "month",
    "quarter": "quarter", "year": "year", "yr": "year", "decade": "decade", "century": "century", "centurie": "century",
    "weekend": "weekend",
}  # fmt: skip
UNIT = rf"(?:{'|'.join(sorted(UNITS, key=len, reverse=True))})"
_VAGUE = {"a couple of": 2, "a couple": 2, "couple of": 2, "couple": 2, "a few": 3, "few": 3, "several": 3, "some": 3}
_COUNTS = {**_VAGUE, "half a": 0.5, "half an": 0.5}
_COUNT = rf"(?P<count>{'|'.join(sorted(_COUNTS, key=len, reverse=True))}|{NUMBER})"
_PAST = "last|past|previous|preceding"
_TURN = rf"(?P<turn>{_PAST}|next|coming|upcoming|following)"
_PERFECT = re.compile(r"(?:\b(?:have|has)|'ve|'s been)\b(?:\s+[\w']+){1,6}\s*$")
_RUN_BEFORE = re.compile(rf"\b{_TURN} \S+ \S+\s*$")
_MODAL = "will|would|can|could|may|might|must|should|shall"
_BEFORE_VERB = re.compile(
    rf"(?:\b(?:to|not|{_MODAL})|'ll|'d|n't|\b(?:{_MODAL}|does|do|did) (?:it|this|that|they|these|those))$"
)
_AROUND_VERB = 20  # characters before "last" in which its auxiliary stands
_CLAUSE = 120  # characters before a length that are looked at
_LONG = "day|week|fortnight|month|year|decade"
_BUSINESS = "business days?|working days?|weekdays|workdays?"
_SIDE = "before|after|from|prior to|earlier than|since|following"


def _count(text: str) -> float:
    return _COUNTS[text] if text in _COUNTS else parse_number(text)


def _amount(match: re.Match[str]) -> Amount:
    half = 0.5 if match.groupdict().get("half") else 0
    return Amount(((_count(match["count"]) + half, UNITS[match["unit"]]),), is_vague=match["count"] in _VAGUE)


def _joined(first: Amount, between: re.Match[str], second: Amount) -> Value | None:
    """A length names each unit once. "For the last 3 months and 2 days ago" are two lengths."""
    if not first.units.isdisjoint(second.units):
        return None
    if _RUN_BEFORE.search(between.string, max(0, between.start() - _CLAUSE), between.start()):
        return None
    return Amount(first.parts + second.parts, is_vague=first.is_vague or second.is_vague)


def _sign(turn: str) -> Literal[-1, 1]:
    return -1 if turn in _PAST.split("|") else 1


def _run(match: re.Match[str]) -> Value | None:
    if match["turn"] == "last" and _is_verb(match):
        return None
    return Run(_amount(match), _sign(match["turn"]))


def _is_verb(last: re.Match[str]) -> bool:
    """Whether "last" is a verb: "it will last three weeks", "the talks last an hour"."""
    before = last.string[max(0, last.start() - _AROUND_VERB) : last.start()].rstrip()
    takes_article = last["count"].startswith("a") and not before.endswith("the")
    return takes_article or _BEFORE_VERB.search(before) is not None


def _run_after_count(match: re.Match[str]) -> Value:
    sign, amount = _sign(match["turn"]), _amount(match)
    return Run(amount, sign, from_tomorrow=sign > 0 and amount.smallest not in ("second", "minute", "hour"))


def _business_days(match: re.Match[str]) -> Value:
    return BusinessDays(int(_count(match["count"])), _sign(match["turn"]))


def _ago(amount: Amount, _: re.Match[str]) -> Value:
    if amount.smallest == "weekend":
        return CalendarUnit("weekend", -int(amount.parts[0][0]))
    return Ago(amount, -1)


def _shifted(amount: Amount, match: re.Match[str], _: re.Match[str], anchor: When) -> Value:
    sign = -1 if match[1] in ("before", "prior to", "earlier than") else 1
    if isinstance(anchor, Now):
        return Ago(amount, sign)
    return Shifted(amount, sign, anchor, is_ahead=match[1] == "from")


def _still_going_on(match: re.Match[str], amount: Amount) -> Value | None:
    """The present perfect says that a state goes on: "I have known her for four years", not "we met for an hour"."""
    if amount.smallest in ("second", "minute", "hour"):
        return None
    is_perfect = _PERFECT.search(match.string, max(0, match.start() - _CLAUSE), match.start())
    return Open("since", Ago(amount, -1)) if is_perfect else None


def _far_ago(match: re.Match[str], ago: Ago) -> Value:
    return FarFrom(match[1] == "more", ago.amount, ago.sign, CalendarUnit("day", 0))


def _far(match: re.Match[str], amount: Amount, side: re.Match[str], anchor: When) -> Value:
    return FarFrom(match[1] in ("more", "over"), amount, -1 if side[1] == "before" else 1, anchor)


RULES = (
    Rule((word("for(?: about| around| over| almost| nearly)?"), Amount), _still_going_on),
    Rule((word(rf"{_COUNT}(?P<half> and a half)?[ -]?(?P<unit>{UNIT})s?"),), _amount, is_latent=True),
    Rule((Amount, glue(r"(?:,?\s*and\b|,)?"), Amount), _joined, is_latent=True),
    Rule((Amount, word("ago|back|earlier|before now|previously")), _ago),
    Rule((word("in(?: about| around)?(?! the)"), Amount), lambda _, amount: Ago(amount, 1)),
    Rule((word(rf"{_TURN} {_COUNT}[ -](?P<unit>{UNIT})s?"),), _run),
    Rule((word(rf"{_COUNT} {_TURN} (?P<unit>{UNIT})s?"),), _run_after_count),
    Rule((word(rf"{_TURN} {_COUNT} (?:{_BUSINESS})"),), _business_days),
    Rule((word("within(?: the)?"), Amount), lambda _, amount: Within(amount)),
    Rule((word("within(?: the)? next"), Amount), lambda _, amount: Run(amount, 1)),
    Rule((word("within the (?:last|past)"), Amount), lambda _, amount: Run(amount, -1)),
    Rule((Amount, word(f"({_SIDE})"), glue(OF_WHAT), When), _shifted),
    Rule((word("(more|over|less|fewer) than"), Amount, word("(before|after|from)"), When), _far),
    Rule((word("(more|less|fewer) than"), Ago), _far_ago),
    Rule(
        (word(rf"(?:over|during|within) the (?:last|past) ({_LONG})|in the past ({_LONG})"),),
        lambda match: Run(Amount(((1, match[1] or match[2]),)), -1),
    ),
    Rule((word("for"), Amount, glue(r",?\s*(?:starting )?from"), When), lambda _, a, __, when: Lasting(when, a)),
)
