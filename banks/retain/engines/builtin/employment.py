"""A new job: "I got a job at", "I joined"."""

from collections.abc import Iterator
from datetime import datetime

from banks.retain.engines.builtin.clauses import Clauses
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.relationship_patterns import CLUBS, JOBS, TAKING
from banks.retain.types import FoundRelationship

AT = frozenset({"at", "with"})
AS = frozenset({"as"})
PERSON = "PERSON"


def find_employment(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    word = clauses.parsed.words[place]
    if word.lower in JOBS and word.dep == "dobj" and clauses.parsed.words[word.head].lower in TAKING:
        verb, target = word.head, _find_employer(clauses, place)
    elif word.lower == "joined":
        verb, target = place, _find_joined(clauses, place)
    else:
        return
    subject = clauses.subject(verb)
    if subject is None or target is None or not clauses.is_real(verb):
        return
    name = clauses.name_within(target)
    shown = tidy(name or clauses.phrase(target))
    if shown:
        text = f"{subject} works at {shown}."
        yield FoundRelationship(subject, "works_at", shown, text, object_is_value=name is None, valid_from=since)


def _find_employer(clauses: Clauses, job: int) -> int | None:
    near = clauses.object_after(job, AT)
    return clauses.object_after(clauses.parsed.words[job].head, AT) if near is None else near


def _find_joined(clauses: Clauses, place: int) -> int | None:
    """A bare name, or a name that is joined as something ("as an engineer"). No club, no friend, no "the ..."."""
    target = clauses.parsed.child(place, "dobj")
    if target is None or clauses.name_within(target) is None:
        return None
    if clauses.object_after(place, AS) is not None:
        return target
    sentence = next(each for each in clauses.parsed.sentences if place in each)
    is_club = any(clauses.parsed.words[at].lower.rstrip("s") in CLUBS for at in sentence)
    is_bare = clauses.parsed.child(target, "det", "poss") is None
    return target if is_bare and not is_club and not _is_person(clauses, target) else None


def _is_person(clauses: Clauses, place: int) -> bool:
    word = clauses.parsed.words[place]
    labels = {name.label for name in clauses.parsed.names if name.start <= word.start < name.end}
    return PERSON in labels or word.text in clauses.people
