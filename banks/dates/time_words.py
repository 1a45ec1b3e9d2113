"""Whether a text may speak of time, before any rule is tried."""

import re

from banks.dates.fold import fold
from banks.dates.languages.choose import TRIGGERS
from banks.dates.languages.dateparser_languages import foreign_words
from banks.dates.word_lists import listed

_HINTS = frozenset(
    listed(
        "today tonight tonite yesterday tomorrow tmrw tmr now ago present moment time since until till date century "
        "second seconds minute minutes min mins hour hours day days daytime night nights week weeks weekend weekends "
        "fortnight month months quarter quarters year years yr yrs decade decades noon midnight morning afternoon "
        "evening spring summer autumn fall winter easter christmas xmas thanksgiving halloween juneteenth pentecost "
        "epiphany patrick mardi cinco valentine twenties thirties forties fifties sixties seventies eighties nineties "
        "eod eoy eom january february march april may june july august september october november december jan feb "
        "mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue "
        "tues wed weds thu thur thurs fri sat sun nineteen eighteen twenty thousand new"
    )
)
_VAGUE = frozenset(
    listed(
        "recently lately nowadays earlier later previously formerly anniversary birthday childhood semester season "
        "holidays vacation era period currently soon"
    )
)
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT_OR_OTHER_SCRIPT = re.compile(r"\d|[^\x00-\u024f]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LENGTH_ONLY = re.compile(r"how (?:many|long|often|much)\b")
_NOT_TIME = frozenset(listed("may march second new time date min fall spring present sat sun mar now moment"))


def words_of(folded: str) -> frozenset[str]:
    return frozenset(_WORD.findall(folded))


def may_hold_time(folded: str, words: frozenset[str]) -> bool:
    """A cheap gate: false only if no rule can find anything."""
    if _DIGIT_OR_OTHER_SCRIPT.search(folded):
        return True
    return any(not words.isdisjoint(known) for known in (_HINTS, TRIGGERS, foreign_words()))


def has_time_word(text: str) -> bool:
    """Whether a text speaks of time in some way, so that it may pay to ask a model for what the rules did not find."""
    folded = fold(text).text
    if _LENGTH_ONLY.search(folded):
        return False
    words = words_of(folded)
    if words & (_HINTS - _NOT_TIME) or words & _VAGUE or words & TRIGGERS or words & foreign_words():
        return True
    return bool(_YEAR.search(folded))
