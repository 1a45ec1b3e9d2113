"""What somebody is: "I'm a nurse at Acme", "she became a teacher", "I was promoted to head of sales"."""

from collections.abc import Iterator
from datetime import datetime

from banks.english.word_set import word_set
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.types import FoundRelationship

BE = word_set("am 'm is 's")
BECAME = frozenset({"became", "become"})
AT = frozenset({"at", "for", "with"})
TO = frozenset({"to"})
NOW = frozenset({"now", "currently"})
# The last word of what people work as. Who is a runner or a fan is paid for neither.
OCCUPATIONS = word_set(
    "accountant actor actress administrator advisor adviser analyst architect artist assistant attorney author",
    "baker banker barber barista bartender biologist bookkeeper broker builder butcher carpenter cashier chef chemist",
    "cleaner clerk composer consultant contractor cook counselor counsellor curator dancer dentist designer detective",
    "developer dietitian director doctor driver economist editor electrician engineer executive farmer filmmaker",
    "firefighter fisherman florist gardener geologist hairdresser historian illustrator interpreter janitor jeweler",
    "journalist judge landscaper lawyer lecturer librarian machinist manager mathematician mechanic",
    "midwife musician nanny nurse nutritionist officer operator optician painter paralegal paramedic pharmacist",
    "photographer physician physicist physiotherapist pilot plumber poet policeman policewoman postman principal",
    "producer professor programmer psychiatrist psychologist realtor receptionist recruiter reporter researcher sailor",
    "salesman salesperson saleswoman scientist sculptor seamstress secretary singer soldier statistician",
    "steward stewardess supervisor surgeon surveyor tailor teacher technician technologist therapist trader translator",
    "treasurer tutor vet veterinarian waiter waitress welder worker writer",
)
HEADS = word_set("head chief vice lead president ceo cto cfo coo partner principal")  # what one is promoted to


def find_occupations(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    """`since` is when it began, where the words tell of a beginning.

    Who is a teacher may be a writer too. Only what somebody became, or is for an employer, or is now, takes the place
    of what he was.
    """
    parsed, lower = clauses.parsed, clauses.parsed.words[place].lower
    if lower in BE | BECAME:
        thing = parsed.child(place, "attr")
    elif lower == "promoted":
        thing = clauses.object_after(place, TO)
    else:
        return
    subject = clauses.subject(place)
    if subject is None or thing is None or not clauses.is_real(place) or not _is_occupation(clauses, thing, lower):
        return
    phrase, employer = clauses.phrase(thing), _find_employer(clauses, thing)
    begins = since if lower not in BE else None
    if not tidy(phrase):
        return
    relation, wording = ("occupation", "works as") if employer or _is_news(clauses, place) else ("profession", "is")
    text = f"{subject} {wording} {phrase}."
    yield FoundRelationship(subject, relation, tidy(phrase), text, object_is_value=True, valid_from=begins)
    if employer:
        yield FoundRelationship(subject, "works_at", employer, f"{subject} works at {employer}.", valid_from=begins)


def _find_employer(clauses: Clauses, thing: int) -> str | None:
    employer = clauses.object_after(thing, AT)
    return None if employer is None else clauses.name_within(employer)


def _is_news(clauses: Clauses, place: int) -> bool:
    words = clauses.parsed.words
    return words[place].lower not in BE or any(words[at].lower in NOW for at in clauses.parsed.children.get(place, ()))


def _is_occupation(clauses: Clauses, thing: int, lower: str) -> bool:
    """Of somebody's own: "my doctor", "Tom's lawyer" and "the manager" tell who is meant."""
    words = [clauses.parsed.words[at].lower for at in clauses.parsed.children.get(thing, ())]
    noun = clauses.parsed.words[thing].lower
    if clauses.parsed.child(thing, "poss") is not None:
        return False
    if lower == "promoted":
        return noun in OCCUPATIONS | HEADS
    return noun in OCCUPATIONS and any(word in {"a", "an"} for word in words)
