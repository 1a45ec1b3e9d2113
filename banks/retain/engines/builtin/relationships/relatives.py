"""Who is whose: "my sister Emily", "my husband is Tom", "my ex-wife Ana", "I have a cat called Miso"."""

from collections.abc import Iterator
from dataclasses import dataclass

from banks.english.word_set import word_set
from banks.kinship import PARTNERS, RELATIVES
from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.endings import tell_end
from banks.retain.types import FoundRelationship

FORMER = word_set("ex former previous")
OTHER_TIMES = word_set(
    "late deceased dead future next first second third"
)  # "my first husband" need not be the present one
BE = frozenset({"is", "'s"})
HAVE = frozenset({"have", "has", "got"})
CALLED = frozenset({"called", "named"})
NO_PEOPLE = frozenset({"NORP", "GPE", "LOC", "LANGUAGE"})  # "my wife is Portuguese"


@dataclass(frozen=True)
class _Relative:
    owner: str
    noun: str
    name: str

    @property
    def relation(self) -> str:
        """Of a couple the one that is told otherwise, too: her husband is whom she is married to."""
        known = PARTNERS.get(self.noun, ())
        return known[0] if len(known) == 1 else self.noun


def find_relatives(clauses: Clauses, place: int) -> Iterator[FoundRelationship]:
    if clauses.parsed.words[place].lower not in RELATIVES:
        return
    told, verb = _read_next_to(clauses, place), None
    if told is None:
        told, verb = _read_called(clauses, place)
    if told is None:
        told, verb = _read_with_be(clauses, place)
    qualities = {clauses.parsed.words[at].lower for at in range(max(0, place - 2), place)}
    if told is None or told.name == told.owner or qualities & OTHER_TIMES:
        return
    if qualities & FORMER or (verb is not None and clauses.is_over(verb)):
        for relation in PARTNERS.get(told.noun, ()):
            yield from tell_end(told.owner, relation, told.name, since=None)
    elif verb is None or clauses.is_real(verb):
        text = f"{told.name} is {told.owner}'s {told.noun}."
        yield FoundRelationship(told.owner, told.relation, told.name, text)


def _read_next_to(clauses: Clauses, place: int) -> _Relative | None:
    words = clauses.parsed.words
    before = [words[at] for at in range(max(0, place - 3), place)]
    is_speakers = any(word.lower == "my" for word in before) and not any(word.tag == "POS" for word in before)
    name = clauses.name_after(place)
    return _Relative(clauses.speaker, words[place].lower, name) if clauses.speaker and is_speakers and name else None


def _read_called(clauses: Clauses, place: int) -> tuple[_Relative | None, int | None]:
    """As in "my cat is called Miso" and "I have a cat called Miso"; with the place of the verb."""
    parsed, noun = clauses.parsed, clauses.parsed.words[place]
    verb = noun.head
    if noun.dep == "nsubjpass":
        calls, owner = [verb], clauses.owner(place)
    elif noun.dep == "dobj" and parsed.words[verb].lower in HAVE:
        calls, owner = list(parsed.children.get(place, ())), clauses.subject(verb, counts_we=True)
    else:
        return None, None
    called = (parsed.child(at, "oprd", "attr", "dobj") for at in calls if parsed.words[at].lower in CALLED)
    name = next((clauses.name_within(at) for at in called if at is not None and clauses.is_proper(at)), None)
    return (_Relative(owner, noun.lower, name), verb) if owner and name else (None, None)


def _read_with_be(clauses: Clauses, place: int) -> tuple[_Relative | None, int | None]:
    """As in "my husband is Tom", "Tom is my husband" and "my husband's name is Tom"; with the place of the verb."""
    parsed = clauses.parsed
    thing = place
    if parsed.words[place].dep == "poss" and parsed.words[parsed.words[place].head].lower == "name":
        thing = parsed.words[place].head
        if parsed.child(thing, "amod", "compound", "nmod") is not None:
            return None, None  # "last name", "stage name"
    verb = parsed.words[thing].head
    other = {"nsubj": "attr", "attr": "nsubj"}.get(parsed.words[thing].dep)
    named = parsed.child(verb, other) if other and parsed.words[verb].lower in BE else None
    owner = clauses.owner(place)
    if owner is None or named is None or not _is_person(clauses, named):
        return None, None
    name = clauses.name_within(named)
    return (_Relative(owner, parsed.words[place].lower, name), verb) if name else (None, None)


def _is_person(clauses: Clauses, place: int) -> bool:
    start = clauses.parsed.words[place].start
    labels = {name.label for name in clauses.parsed.names if name.start <= start < name.end}
    return clauses.is_proper(place) and not labels & NO_PEOPLE and clauses.parsed.child(place, "det", "poss") is None
