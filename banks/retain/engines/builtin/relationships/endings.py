"""What is over: a job that was left or lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from banks.english.word_set import word_set
from banks.kinship import COUPLE
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.patterns import JOBS
from banks.retain.relationships.relations import Ending

LEAVING = word_set("left quit lost resigned retired fired laid dismissed")
LOSING = word_set(  # these say without an object that a job is over
    "resigned retired fired laid dismissed resign resigns resigning retire retires retiring"
)
PASSIVE = frozenset({"fired", "laid", "dismissed"})  # "I fired him" ends another's job
FROM = frozenset({"from", "at", "with", "by"})
PARTICLES = {"laid": "off", "broke": "up", "broken": "up", "split": "up"}
NO_LONGER = {
    "works_at": "no longer works for",
    "occupation": "no longer works as",
    "lives_in": "no longer lives in",
    "married_to": "is no longer married to",
    "dating": "is no longer dating",
    "engaged_to": "is no longer engaged to",
    "owns": "no longer owns",
    "likes": "no longer likes",
    "dislikes": "no longer dislikes",
    "prefers": "no longer prefers",
}
WORK = JOBS | {"company", "firm", "work"}
FOR_THE_DAY = frozenset({"early", "late"})  # "I left Acme early": the building, not the job


@dataclass(frozen=True)
class Left:
    """`name` is who or what was left; empty: whatever it was. `relations` are those that it had, where words tell."""

    name: str = ""
    relations: tuple[str, ...] = ()


def find_endings(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[Ending]:
    if clauses.parsed.words[place].lower not in LEAVING:
        return
    left, subject = find_left_job(clauses, place), clauses.subject(place)
    if left and subject and has_particle(clauses, place) and clauses.is_real(place):
        yield from tell_end(subject, "works_at", left.name, since=since)


def tell_end(
    subject: str, relation: str, name: str, *, since: datetime | None, is_value: bool = False
) -> Iterator[Ending]:
    """Of a couple from both sides: nobody knows which of the two was told to be married to the other."""
    is_value = is_value or not name
    sides = [(subject, name), (name, subject)] if relation in COUPLE and not is_value else [(subject, name)]
    for one, other in sides:
        text = f"{one} {NO_LONGER[relation]} {other or 'anybody'}."
        yield Ending(one, relation, other, text, object_is_value=is_value, valid_from=since)


def find_named(clauses: Clauses, place: int | None) -> Left | None:
    name = None if place is None else clauses.name_within(place)
    return Left(name) if name else None


def has_particle(clauses: Clauses, place: int) -> bool:
    wanted = PARTICLES.get(clauses.parsed.words[place].lower)
    return wanted is None or any(
        clauses.parsed.words[at].lower == wanted for at in clauses.parsed.children.get(place, ())
    )


def find_left_job(clauses: Clauses, place: int) -> Left | None:
    parsed, lower = clauses.parsed, clauses.parsed.words[place].lower
    if lower in PASSIVE and parsed.child(place, "nsubjpass") is None:
        return None
    thing, employer = parsed.child(place, "dobj"), clauses.object_after(place, FROM)
    if thing is None:
        return _find_lost_job(clauses, employer) if lower in LOSING else None
    if parsed.words[thing].lower in WORK:
        named = find_named(clauses, clauses.object_after(thing, FROM)) or find_named(clauses, employer)
        return named or (Left() if clauses.owner(thing) else None)
    return None if lower == "lost" or _is_for_the_day(clauses, place) else find_named(clauses, thing)


def _find_lost_job(clauses: Clauses, employer: int | None) -> Left | None:
    """A name, a word for work, or none in particular; who resigned from a committee has not lost a job."""
    if employer is None or clauses.parsed.words[employer].lower in WORK:
        return Left()
    return find_named(clauses, employer)


def _is_for_the_day(clauses: Clauses, place: int) -> bool:
    below = {clauses.parsed.words[at].lower for at in clauses.parsed.children.get(place, ())}
    return bool(below & FOR_THE_DAY) or any(name.label == "TIME" for name in clauses.parsed.names)
