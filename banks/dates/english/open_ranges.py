"""Before, after, since and until a time."""

import re

from banks.dates.chart import Rule, glue, word
from banks.dates.english.anchors import OF_WHAT
from banks.dates.expressions.bounds import Open, Range, Side
from banks.dates.expressions.clock import At
from banks.dates.expressions.inside import Edge
from banks.dates.expressions.steps import CalendarUnit
from banks.dates.expressions.when import Value, When

_SIDES: dict[str, Side] = {
    "before": "before", "not before": "since", "not after": "until",
    "prior to": "before", "earlier than": "before", "sooner than": "before",
    "until": "until", "till": "until", "up to": "until", "no later than": "until", "as late as": "until", "by": "until",
    "up to and including": "until", "until and including": "until", "to and including": "until", "up through": "until",
    "on or before": "until", "on or after": "since",
    "up until": "until", "not later than": "until", "<=": "until", "< =": "until", "<": "before",
    "since": "since", "starting": "since", "starting on": "since", "starting in": "since", "starting from": "since",
    "from": "since", "ever since": "since", "beginning in": "since", "as early as": "since",
    ">=": "since", "> =": "since", "no earlier than": "since", ">": "after", "not earlier than": "since",
    "after": "after", "later than": "after",
}  # fmt: skip
_WORDS = "|".join(sorted((s for s in _SIDES if s[0].isalpha() and s != "from"), key=len, reverse=True))
_SIGNS = "|".join(sorted((s for s in _SIDES if not s[0].isalpha()), key=len, reverse=True))
_ONWARDS = r"(?:and|or) (?:later|after|greater|onwards?|above|since)(?! \w)|onwards?|and on(?! \w)"
_BACK = r"(?:and|or) (?:earlier|before|below)(?! \w)"


def _open(match: re.Match[str], anchor: When) -> Value | None:
    if isinstance(anchor, Open | Range):
        return None
    side = _SIDES[match[1]]
    if isinstance(anchor, Edge):
        return _past_edge(side, anchor)
    if side == "until" and isinstance(anchor, At):
        side = "before"
    return Open(side, anchor)


def _past_edge(side: Side, anchor: Edge) -> Value:
    """Before the end of June is still June, after its beginning already is."""
    if anchor.part == "late" and side in ("before", "until"):
        return Open("until", anchor.whole)
    if anchor.part == "early" and side in ("after", "since"):
        return Open("since", anchor.whole)
    return Open(side, anchor)


RULES = (
    Rule((word(rf"({_WORDS})"), glue(OF_WHAT), When), lambda match, _, anchor: _open(match, anchor)),
    Rule((re.compile(rf"({_SIGNS})"), When), _open),
    Rule((When, word(_ONWARDS)), lambda when, _: None if isinstance(when, Open | Range) else Open("since", when)),
    Rule((When, word(_BACK)), lambda when, _: None if isinstance(when, Open | Range) else Open("until", when)),
    Rule((word("(?<!up )to date|so far this year"),), lambda _: Open("before", CalendarUnit("day", 0))),
)
