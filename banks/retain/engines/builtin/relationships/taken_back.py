"""Announced changes that are taken back: "I'm not moving to Rome", "I'm staying in Berlin after all"."""

from collections.abc import Iterator

from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.endings import FOR_THE_DAY, find_left_job
from banks.retain.relationships.relations import Staying, TakenBack

MOVING = word_set("move moving relocate relocating")
LEAVING = word_set("leave leaving quit quitting")
STAYING = word_set("stay staying remain remaining")
TO = frozenset({"to", "into"})
IN = frozenset({"in"})
AT = frozenset({"at", "with"})
AHEAD = word_set("am 'm is 's are 're will 'll wo going")
TOLD = frozenset({"ROOT", "conj", "ccomp"})
NOT_YET = word_set("until till yet before unless if sure")


def find_taken_back(clauses: Clauses, place: int) -> Iterator[TakenBack | Staying]:
    words, lower = clauses.parsed.words, clauses.parsed.words[place].lower
    if lower not in MOVING | LEAVING | STAYING or not _is_told_of_later(clauses, place):
        return
    if any(words[at].lower in NOT_YET for at in clauses.parsed.sentence_of(place)):
        return
    if lower in STAYING:
        yield from _find_stay(clauses, place)
    elif _is_denied(clauses, place):
        yield from _find_move(clauses, place) if lower in MOVING else _find_job(clauses, place)


def _find_move(clauses: Clauses, place: int) -> Iterator[TakenBack]:
    """Without a name only where the words tell that something was announced. Who does not move next month may later."""
    target = clauses.object_after(place, TO)
    name = None if target is None else clauses.name_within(target)
    subject = clauses.subject(place, counts_we=True)
    is_meant = _says_after_all(clauses, place) or (name and not _is_dated(clauses, place))
    if subject and is_meant and (name or target is None):
        text = f"{subject} does not move to {name or 'another place'}."
        yield TakenBack(subject, "lives_in", name or "", text, object_is_value=not name)


def _find_job(clauses: Clauses, place: int) -> Iterator[Staying]:
    left, subject = find_left_job(clauses, place), clauses.subject(place)
    is_for_the_day = any(clauses.parsed.words[at].lower in FOR_THE_DAY for at in clauses.parsed.sentence_of(place))
    if left and left.name and subject and not is_for_the_day:
        yield Staying(subject, "works_at", left.name, f"{subject} works at {left.name}.")


def _find_stay(clauses: Clauses, place: int) -> Iterator[Staying]:
    """Who stays somewhere may be a guest: only "after all" tells that a change was meant to come."""
    subject = clauses.subject(place, counts_we=True)
    if subject is None or _is_denied(clauses, place) or not _says_after_all(clauses, place):
        return
    home, work = clauses.object_after(place, IN), clauses.object_after(place, AT)
    if home is not None and (name := clauses.name_within(home)):
        yield Staying(subject, "lives_in", name, f"{subject} lives in {name}.")
    elif work is not None and (name := clauses.name_within(work)):
        yield Staying(subject, "works_at", name, f"{subject} works at {name}.")


def _is_told_of_later(clauses: Clauses, place: int) -> bool:
    words, verbs = clauses.parsed.words, clauses.own_verbs(place)
    helping = (at for at in clauses.around(verbs) if words[at].dep.startswith("aux"))
    return words[verbs[-1]].dep in TOLD and any(words[at].lower in AHEAD for at in (*verbs, *helping))


def _is_denied(clauses: Clauses, place: int) -> bool:
    words = clauses.parsed.words
    return any(words[at].dep == "neg" and words[at].lower != "never" for at in clauses.around(clauses.own_verbs(place)))


def _is_dated(clauses: Clauses, place: int) -> bool:
    sentence = clauses.parsed.sentence_of(place)
    first, last = clauses.parsed.words[sentence[0]].start, clauses.parsed.words[sentence[-1]].end
    return any(name.label == "DATE" and first <= name.start < last for name in clauses.parsed.names)


def _says_after_all(clauses: Clauses, place: int) -> bool:
    text = clauses.parsed.sentence_text(clauses.parsed.sentence_of(place)).lower()
    return "after all" in text or "anymore" in text or "any more" in text
