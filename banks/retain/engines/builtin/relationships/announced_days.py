"""Whether a change is told as sure to come, and on which day: "I'm moving to Rome next month"."""

import re
from datetime import datetime
from itertools import pairwise

from banks.dates import FoundDate, find_dates
from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.no_more import mentions_no_more

# Anywhere in the sentence: what is wished, planned, thought or left open is not announced.
DOUBTS = word_set(
    "would could might should 'd want wants wanted wanna hope hopes hoping hoped hopefully wish wishes if unless",
    "maybe perhaps probably possibly presumably likely unlikely supposedly potentially think thinks thinking thought",
    "guess believe suppose consider considering plan plans planning planned intend intends intending dream dreams",
    "dreaming imagine pretend doubt whether or almost nearly joke joking kidding",
)
FOR_A_WHILE = word_set("until till temporarily briefly")
TIMES = frozenset({"DATE", "TIME"})
TOLD = frozenset({"ROOT", "conj", "ccomp", "parataxis"})
# What may stand between the verb and its day: "by March", "before March" and "after the exam on May 3" name none.
LATER = re.compile(r"after\b|later than\b", re.IGNORECASE)  # than a day, nobody says when
REPLACED = re.compile(r"(?:\bnot|instead of|rather than)(?: (?:in|on|until))?\s*$", re.IGNORECASE)  # by another day
LEADING = word_set("in on from at of as effective starting beginning start end middle")


def is_sure(clauses: Clauses, place: int, *, is_denied: bool = False) -> bool:
    """Told of what comes or is under way, and neither as past nor with a doubt. `is_denied`: as being so no more."""
    parsed = clauses.parsed
    carriers = list(clauses.up_to_subject(place))
    around = clauses.around(carriers)
    denies = any(_denies(clauses, at) for at in around) or mentions_no_more(parsed, around)
    is_past = any(clauses.is_past(at) for at in carriers)
    is_told = parsed.words[carriers[-1]].dep in TOLD
    return is_told and denies == is_denied and not is_past and not _is_left_open(clauses, place)


def _denies(clauses: Clauses, place: int) -> bool:
    """What is said of the day alone denies that day: "in March, not next month"."""
    parsed = clauses.parsed
    end = parsed.words[place].end
    is_of_a_day = any(name.label == "DATE" and 0 <= name.start - end <= len(" in ") for name in parsed.names)
    return parsed.words[place].dep == "neg" and not is_of_a_day


def find_day_ahead(clauses: Clauses, place: int, *, target: int, told_at: datetime) -> FoundDate | None:
    """The day to come that the verb itself is told with; `target` is what the verb is about."""
    parsed = clauses.parsed
    sentence = parsed.sentence_of(place)
    start = parsed.words[sentence[0]].start
    verbs = set(clauses.own_verbs(place))
    for date in find_dates(parsed.sentence_text(sentence), said_at=told_at):
        first, last = start + date.span[0], start + date.span[1]
        within = {at for at in sentence if first <= parsed.words[at].start < last}
        if _is_ahead(date, parsed.text[start:first], told_at) and _is_day_of(clauses, within, verbs, target):
            return date
    return None


def find_new_day(clauses: Clauses, place: int, *, told_at: datetime) -> FoundDate | None:
    """The day to come to which something is put off: it stands behind the verb."""
    parsed = clauses.parsed
    text, behind = parsed.sentence_text(parsed.sentence_of(place)), parsed.words[place].end
    start = parsed.words[parsed.sentence_of(place)[0]].start
    dates = (date for date in find_dates(text, said_at=told_at) if start + date.span[0] >= behind)
    return next((date for date in dates if _is_ahead(date, text[: date.span[0]], told_at)), None)


def _is_ahead(date: FoundDate, before: str, told_at: datetime) -> bool:
    is_meant = not LATER.match(date.text) and not REPLACED.search(before)
    return date.start is not None and date.start > told_at and is_meant


def _is_left_open(clauses: Clauses, place: int) -> bool:
    """Doubted, or told of a while: who moves for three months comes back."""
    parsed = clauses.parsed
    words = [parsed.words[at] for at in parsed.sentence_of(place)]
    lengths = {name.start for name in parsed.names if name.label in TIMES}
    is_for_a_while = any(word.lower in FOR_A_WHILE for word in words) or any(
        word.lower == "for" and after.start in lengths for word, after in pairwise(words)
    )
    return is_for_a_while or any(word.lower in DOUBTS or (word.lower, word.tag) == ("may", "MD") for word in words)


def _is_day_of(clauses: Clauses, day: set[int], verbs: set[int], target: int) -> bool:
    """Many a date hangs on what the verb is about: "to Rome in May". Some begin with the verb: "starting in May"."""
    words = clauses.parsed.words
    between = {target, *_climb(clauses, target, until=verbs)}
    tops = [at for at in day if words[at].head not in day]
    steps = [_climb(clauses, at, until=verbs) for at in tops]
    return bool(day & verbs) or (
        bool(tops)
        and all(path[-1] in verbs for path in steps)
        and all(at in between or words[at].lower in LEADING for path in steps for at in path[:-1])
    )


def _climb(clauses: Clauses, place: int, *, until: set[int]) -> list[int]:
    """The words above it, up to one of those or to the top of the sentence."""
    path: list[int] = []
    at = place
    while at not in until:
        above = clauses.parsed.words[at].head
        path.append(above)
        if above == at:
            break
        at = above
    return path or [place]
