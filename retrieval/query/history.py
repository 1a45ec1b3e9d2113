"""Whether a question is about what was so once: then what has been superseded since belongs to its answer."""

import re
from collections.abc import Iterator
from datetime import datetime

from banks.dates import TimeWindow
from banks.dates.fold import Folded, fold
from retrieval.query.before_cues import BEFORE, BEFORE_WORDS, BeforeCues
from retrieval.query.cues import HISTORY_CUES, NO_HISTORY_CUES
from retrieval.query.past_states import asks_for_past_state

# "before" that nothing follows: "Where did she live before?"; but "the day before" is a day.
CLOSING_BEFORE = re.compile(
    r"(?<!day )(?<!night )(?<!evening )(?<!morning )(?<!week )(?<!weekend )(?<!month )(?<!year )"
    r"\b(?:before|antes|avant|davor|daarvoor|prima|до этого)\s*(?:[?!.,]|$)"
)
# What is somebody's and old has been replaced; an old friend has not.
OLD = re.compile(
    r"(?:\b(?:my|your|his|her|its|our|their)|'s|s') (?:old|past|earlier) "
    r"(?!friends?\b|age\b|man\b|lady\b|woman\b|folks\b|enough\b|self\b)\w"
)
DETERMINERS = re.compile(
    r"\s*(?:(?:the|an?|my|your|his|her|our|their|de[rmn]|die|das|mein\w*|sein\w*|ihr\w*|le|la|les|el|los|las|il|lo"
    r"|het|de|o|os|as|sua|seu|son|sa|su|l')\b\s*)*"
)
CLAUSE = re.compile(r"(?:[\s,]*[^\s,.?!;]+){0,6}")
NAME = re.compile(r"\s*((?:[^\W\d_][\w'\u2019-]*\s+){0,3}?[^\W\d_][\w'\u2019-]*)\s*(?:[?!.,;:)]|$)")


def wants_history(text: str, window: TimeWindow | None, *, asked_at: datetime) -> bool:
    """It speaks of the past in its words, or of a time that is over: what was so then may be superseded by now."""
    return has_passed(window, asked_at) or speaks_of_past(text, window)


def has_passed(window: TimeWindow | None, asked_at: datetime) -> bool:
    return window is not None and window.end is not None and window.end <= asked_at


def speaks_of_past(text: str, window: TimeWindow | None = None) -> bool:
    folded = fold(text)
    if OLD.search(folded.text) or (
        HISTORY_CUES.search(folded.text) and HISTORY_CUES.search(NO_HISTORY_CUES.sub(" ", folded.text))
    ):
        return True
    if asks_for_past_state(folded.text):
        return True
    if not any(word in folded.text for word in BEFORE_WORDS):
        return False
    return CLOSING_BEFORE.search(folded.text) is not None or any(
        ends_state(text, folded, cues, end) for cues in BEFORE.values() for end in befores(folded, cues, window)
    )


def befores(folded: Folded, cues: BeforeCues, window: TimeWindow | None) -> Iterator[int]:
    """Where each ends, without those that belong to the time that was found: "the day before yesterday"."""
    for match in cues.before.finditer(folded.text):
        start, _ = folded.span(match.start(), match.end())
        if window is None or not window.span[0] <= start < window.span[1]:
            yield match.end()


def ends_state(text: str, folded: Folded, cues: BeforeCues, position: int) -> bool:
    """Whether what stands behind a "before" took the place of what is asked for."""
    if is_everyday(folded.text, cues, position):
        return False
    if cues.state.search(folded.text):
        return True
    if not cues.past.search(folded.text):
        return False
    is_change = cues.change.search(clause_at(folded.text, position)) is not None
    return is_change or (cues.takes_names and names_follow(text, folded, position))


def is_everyday(folded: str, cues: BeforeCues, position: int) -> bool:
    determiners = DETERMINERS.match(folded, position)
    return cues.everyday.match(folded, determiners.end() if determiners else position) is not None


def clause_at(folded: str, position: int) -> str:
    clause = CLAUSE.match(folded, position)
    return clause[0] if clause else ""


def names_follow(text: str, folded: Folded, position: int) -> bool:
    """Capitals up to the end of the clause: "before Denver?", not "before Ines arrived"."""
    if text.isupper() or position >= len(folded.text):
        return False
    found = NAME.match(text, folded.span(position, position + 1)[0])
    return found is not None and all(word[0].isupper() for word in found[1].split())
