"""What is over: a job that was left or lost, a couple that parted."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from banks.retain.engines.builtin.clauses import Clauses
from banks.retain.engines.builtin.relationship_patterns import JOBS
from banks.retain.engines.builtin.word_set import word_set
from banks.retain.relations import Ending
from banks.retain.types import FoundRelationship

LEAVING = word_set("left quit lost resigned retired fired laid dismissed")
LOSING = word_set("resigned retired fired laid dismissed")  # these say without an object that a job is over
PASSIVE = frozenset({"fired", "laid", "dismissed"})  # "I fired him" ends another's job
FROM = frozenset({"from", "at", "with", "by"})
PARTICLES = {"laid": "off", "broke": "up", "broken": "up", "split": "up"}
PARTING = {
    "divorced": ("married_to",),
    "separated": ("married_to", "dating"),
    **dict.fromkeys(("broke", "broken", "split"), ("dating", "engaged_to")),
}
NO_LONGER = {
    "works_at": "no longer works for",
    "married_to": "is no longer married to",
    "dating": "is no longer dating",
    "engaged_to": "is no longer engaged to",
}
JOB: tuple[str, ...] = ("works_at",)
PARTED_FROM = frozenset({"with", "from"})
WORK = JOBS | {"company", "firm", "work"}
PARTNERS = word_set("wife husband partner spouse girlfriend boyfriend fiance fiancee")
FOR_THE_DAY = frozenset({"early", "late"})  # "I left Acme early": the building, not the job


@dataclass(frozen=True)
class Left:
    """`name` is who or what was left; empty: whatever it was."""

    name: str = ""


def find_endings(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    lower = clauses.parsed.words[place].lower
    if lower in LEAVING:
        left, relations = _find_left_job(clauses, place), JOB
    elif lower in PARTING:
        left, relations = _find_left_partner(clauses, place), PARTING[lower]
    else:
        return
    subject = clauses.subject(place, counts_we=lower in PARTING)
    if left is None or subject is None or not _has_particle(clauses, place) or not clauses.is_real(place):
        return
    for relation in relations:
        text = f"{subject} {NO_LONGER[relation]} {left.name or 'anybody'}."
        yield Ending(subject, relation, left.name, text, object_is_value=not left.name, valid_from=since)


def _find_left_job(clauses: Clauses, place: int) -> Left | None:
    parsed, lower = clauses.parsed, clauses.parsed.words[place].lower
    if lower in PASSIVE and parsed.child(place, "nsubjpass") is None:
        return None
    thing, employer = parsed.child(place, "dobj"), clauses.object_after(place, FROM)
    if thing is None:
        return _find_left(clauses, employer, WORK) if lower in LOSING else None
    if parsed.words[thing].lower in WORK:
        named = _name(clauses, clauses.object_after(thing, FROM)) or _name(clauses, employer)
        return named or (Left() if clauses.owner(thing) else None)
    return None if lower == "lost" or _is_for_the_day(clauses, place) else _name(clauses, thing)


def _is_for_the_day(clauses: Clauses, place: int) -> bool:
    below = {clauses.parsed.words[at].lower for at in clauses.parsed.children.get(place, ())}
    return bool(below & FOR_THE_DAY) or any(name.label == "TIME" for name in clauses.parsed.names)


def _find_left_partner(clauses: Clauses, place: int) -> Left | None:
    parsed = clauses.parsed
    thing = parsed.child(place, "dobj")
    if thing is not None:
        return _name(clauses, thing) if parsed.words[place].lower == "divorced" else None
    return _find_left(clauses, clauses.object_after(place, PARTED_FROM), PARTNERS)


def _find_left(clauses: Clauses, place: int | None, nouns: frozenset[str]) -> Left | None:
    """A name, one of the nouns, or nobody in particular; who is separated from a group has not lost a partner."""
    if place is None or clauses.parsed.words[place].lower in nouns:
        return Left()
    return _name(clauses, place)


def _name(clauses: Clauses, place: int | None) -> Left | None:
    name = None if place is None else clauses.name_within(place)
    return Left(name) if name else None


def _has_particle(clauses: Clauses, place: int) -> bool:
    wanted = PARTICLES.get(clauses.parsed.words[place].lower)
    return wanted is None or any(
        clauses.parsed.words[at].lower == wanted for at in clauses.parsed.children.get(place, ())
    )
