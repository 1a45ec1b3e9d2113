"""Changes that are told before their day: "I'm moving to Rome next month", "I will leave Siemens in May".

Only with the day: what is to come some day ends nothing yet.
"""

from collections.abc import Iterator
from datetime import datetime

from banks.dates import FoundDate
from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.announced_days import find_day_ahead, find_new_day, is_sure
from banks.retain.engines.builtin.relationships.beginnings import find_beginning
from banks.retain.engines.builtin.relationships.clauses import GOING_TO, Clauses
from banks.retain.engines.builtin.relationships.employment import find_employer, find_started, list_labels
from banks.retain.engines.builtin.relationships.endings import FOR_THE_DAY, FROM, find_left_job, tell_end
from banks.retain.engines.builtin.relationships.no_more import says_no_more
from banks.retain.engines.builtin.relationships.patterns import JOBS
from banks.retain.types import FoundRelationship

MOVING = word_set("move moves moving")
RELOCATING = word_set("relocate relocates relocating")
POSTPONED = word_set("postponed delayed pushed moved rescheduled")
STARTING = word_set("start starts starting begin begins beginning")
LEAVING = word_set("leave leaves leaving quit quits quitting resign resigns resigning retire retires retiring")
WORKING = frozenset({"work", "working"})
LIVING = frozenset({"live", "living"})
WILL = frozenset({"will", "'ll"})
TO = frozenset({"to", "into"})
IN = frozenset({"in"})
AT = frozenset({"at", "for"})
PLACES = frozenset({"GPE", "LOC", "FAC"})  # who moves to Google or to Linux has no other home


def find_announced(clauses: Clauses, place: int, *, told_at: datetime) -> Iterator[FoundRelationship]:
    lower = clauses.parsed.words[place].lower
    if lower in MOVING | RELOCATING:
        yield from _find_move(clauses, place, told_at)
    elif lower in STARTING:
        yield from _find_start(clauses, place, told_at)
    elif lower in POSTPONED:
        yield from _find_postponed(clauses, place, told_at)
    elif lower in LEAVING:
        yield from _find_leave(clauses, place, told_at)
    elif lower in WORKING | LIVING and _is_told_of_later(clauses, place):
        yield from _find_state(clauses, place, told_at)


def _find_move(clauses: Clauses, place: int, told_at: datetime) -> Iterator[FoundRelationship]:
    """Who moves something to a place need not live there."""
    target = clauses.object_after(place, TO)
    if target is None or clauses.parsed.child(place, "dobj") is not None:
        return
    day = _find_day(clauses, place, target, told_at)
    yield from _tell_home(clauses, place, target, since=day.start if day else None)


def _find_start(clauses: Clauses, place: int, told_at: datetime) -> Iterator[FoundRelationship]:
    thing, subject = clauses.parsed.child(place, "dobj"), clauses.subject(place)
    begun = clauses.subject_place(place)
    if thing is not None and clauses.parsed.words[thing].lower in JOBS:
        target = find_employer(clauses, thing)
    elif begun is not None and clauses.parsed.words[begun].lower in JOBS:
        target, subject = clauses.object_after(begun, AT), clauses.owner(begun)
    else:
        target = find_started(clauses, place, is_ahead=True)
    day = None if target is None else _find_day(clauses, place, target, told_at)
    yield from _tell_job(clauses, subject, target, since=day.start if day else None)


def _find_postponed(clauses: Clauses, place: int, told_at: datetime) -> Iterator[FoundRelationship]:
    """As in "my move to Rome is postponed to March"."""
    move = clauses.parsed.child(place, "nsubjpass")
    target = None if move is None else clauses.object_after(move, TO)
    if move is None or target is None or clauses.parsed.words[move].lower not in MOVING:
        return
    day = find_new_day(clauses, place, told_at=told_at) if is_sure(clauses, place) else None
    subject = clauses.owner(move)
    name = clauses.name_within(target) if PLACES & list_labels(clauses, target) else None
    if subject and name and day and day.start:
        yield FoundRelationship(subject, "lives_in", name, f"{subject} lives in {name}.", valid_from=day.start)


def _find_leave(clauses: Clauses, place: int, told_at: datetime) -> Iterator[FoundRelationship]:
    """Who leaves at the end of May works there until June; who leaves early tomorrow is back the day after."""
    if any(clauses.parsed.words[at].lower in FOR_THE_DAY for at in clauses.parsed.sentence_of(place)):
        return
    left, subject = find_left_job(clauses, place), clauses.subject(place)
    thing = clauses.parsed.child(place, "dobj")
    near = place if thing is None else thing
    target = clauses.object_after(near, FROM)
    day = _find_day(clauses, place, near if target is None else target, told_at)
    if left and subject and day:
        until = day.end if "end of" in day.text.lower() else day.start
        yield from tell_end(subject, "works_at", left.name, since=until)


def _find_state(clauses: Clauses, place: int, told_at: datetime) -> Iterator[FoundRelationship]:
    """With a day from which it is so: who will live somewhere in May may be a guest."""
    is_work = clauses.parsed.words[place].lower in WORKING
    target = clauses.object_after(place, AT if is_work else IN)
    if target is None:
        return
    is_over = says_no_more(clauses.parsed, clauses.around(clauses.own_verbs(place)))
    since = _find_state_since(clauses, place, target, told_at) if is_sure(clauses, place, is_denied=is_over) else None
    if is_over:
        subject, name = clauses.subject(place), clauses.name_within(target)
        if subject and name and since:
            yield from tell_end(subject, "works_at" if is_work else "lives_in", name, since=since)
    elif is_work:
        yield from _tell_job(clauses, clauses.subject(place), target, since=since)
    else:
        yield from _tell_home(clauses, place, target, since=since)


def _find_state_since(clauses: Clauses, place: int, target: int, told_at: datetime) -> datetime | None:
    if clauses.is_begun(place):
        day = find_day_ahead(clauses, place, target=target, told_at=told_at)
        return day.start if day else None
    parsed = clauses.parsed
    return find_beginning(parsed.sentence_text(parsed.sentence_of(place)), said_at=told_at)


def _is_told_of_later(clauses: Clauses, place: int) -> bool:
    """As in "I will work" and "I'm going to work"; of what is so now `relationships` reads."""
    words, verbs = clauses.parsed.words, clauses.own_verbs(place)
    return any(words[at].lower in GOING_TO for at in verbs) or any(
        words[at].lower in WILL for at in clauses.around(verbs)
    )


def _find_day(clauses: Clauses, place: int, target: int, told_at: datetime) -> FoundDate | None:
    return find_day_ahead(clauses, place, target=target, told_at=told_at) if is_sure(clauses, place) else None


def _tell_home(clauses: Clauses, place: int, target: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    """Who moves to a flat in Porto lives in Porto."""
    further = clauses.object_after(target, IN)
    places = [at for at in (target, further) if at is not None and PLACES & list_labels(clauses, at)]
    name = next((name for at in places if (name := clauses.name_within(at))), None)
    subject = clauses.subject(place, counts_we=True)
    if subject and name and since:
        yield FoundRelationship(subject, "lives_in", name, f"{subject} lives in {name}.", valid_from=since)


def _tell_job(
    clauses: Clauses, subject: str | None, target: int | None, *, since: datetime | None
) -> Iterator[FoundRelationship]:
    name = None if target is None else clauses.name_within(target)
    if subject and name and since:
        yield FoundRelationship(subject, "works_at", name, f"{subject} works at {name}.", valid_from=since)
