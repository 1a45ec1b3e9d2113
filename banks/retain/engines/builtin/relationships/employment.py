"""A new job: "I got a job at", "I joined", "I started at", "Acme hired me"."""

from collections.abc import Iterator
from datetime import datetime

from banks.english.word_set import word_set
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.patterns import CLUBS, JOBS, TAKING
from banks.retain.types import FoundRelationship

AT = frozenset({"at", "with"})
AT_ONLY = frozenset({"at"})
AS = frozenset({"as"})
SCHOOLS = word_set(
    "university college school academy kindergarten institute gym club studio"
)  # one starts there to learn or to train
NO_EMPLOYERS = frozenset({"home", "night", "nights", "noon", "times", "least", "once"})
PERSON = "PERSON"
ORGANIZATION = "ORG"
MAY_BE_FIRMS = frozenset({ORGANIZATION, "GPE"})  # many a firm is taken for a town


def find_employment(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    word = clauses.parsed.words[place]
    if word.lower in JOBS and word.dep == "dobj" and clauses.parsed.words[word.head].lower in TAKING:
        verb, target = word.head, find_employer(clauses, place)
    elif word.lower == "joined":
        verb, target = place, find_joined(clauses, place)
    elif word.lower == "started":
        verb, target = place, find_started(clauses, place)
    elif word.lower == "hired":
        yield from _find_hired(clauses, place, since=since)
        return
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


def find_workplace(clauses: Clauses, place: int, prepositions: frozenset[str]) -> int | None:
    """Where both are told, one works for somebody at a firm. Who works at home is told nothing of who pays."""
    at = clauses.object_after(place, AT_ONLY)
    if at is not None and clauses.parsed.words[at].lower not in NO_EMPLOYERS:
        return at
    return clauses.object_after(place, prepositions - AT_ONLY)


def find_employer(clauses: Clauses, job: int) -> int | None:
    near = clauses.object_after(job, AT)
    return clauses.object_after(clauses.parsed.words[job].head, AT) if near is None else near


def find_joined(clauses: Clauses, place: int) -> int | None:
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


def find_started(clauses: Clauses, place: int, *, is_ahead: bool = False) -> int | None:
    """At what is known for an organisation and for no school; who starts something somewhere is not hired there.

    With a day ahead: at what may be one.
    """
    role = clauses.object_after(place, AS)
    target = clauses.object_after(place, AT_ONLY)
    if target is None and role is not None:
        target = clauses.object_after(role, AT_ONLY)
    if target is None or clauses.parsed.child(place, "dobj", "xcomp") is not None:
        return None
    name, labels = clauses.name_within(target) or "", list_labels(clauses, target)
    is_school = any(word in SCHOOLS for word in name.lower().split())
    is_firm = labels <= MAY_BE_FIRMS and (is_ahead or bool(labels))
    return target if is_firm and not is_school else None


def _find_hired(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    """By a name: who hired me is my employer; "we hired Tom" tells of no name."""
    employer, hired = clauses.parsed.child(place, "nsubj"), clauses.parsed.child(place, "dobj")
    if employer is None or hired is None or not clauses.is_proper(employer) or not clauses.is_real(place):
        return
    name = clauses.name_within(employer)
    subject = clauses.speaker if clauses.parsed.words[hired].lower == "me" else None
    if name and subject and not _is_person(clauses, employer):
        yield FoundRelationship(subject, "works_at", name, f"{subject} works at {name}.", valid_from=since)


def list_labels(clauses: Clauses, place: int) -> set[str]:
    start = clauses.parsed.words[place].start
    return {name.label for name in clauses.parsed.names if name.start <= start < name.end}


def _is_person(clauses: Clauses, place: int) -> bool:
    return PERSON in list_labels(clauses, place) or clauses.parsed.words[place].text in clauses.people
