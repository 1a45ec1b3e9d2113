"""As in "my favourite colour is green", "green is my favourite colour" and "it isn't green anymore, it's red"."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from banks.english.spelling import spell_one_way
from banks.retain.engines.builtin.naming import tidy
from banks.retain.engines.builtin.relationships.clauses import VAGUE, Clauses
from banks.retain.relationships.relations import Ending
from banks.retain.types import FoundRelationship

FAVOURITE = frozenset({"favorite", "favourite", "fave", "fav"})
BE = frozenset({"is", "'s", "was", "are", "were"})


@dataclass(frozen=True)
class _Favourite:
    owner: str
    noun: str
    value: int

    @property
    def relation(self) -> str:
        return "_".join(["favourite", *map(spell_one_way, self.noun.split())])


def find_favourites(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    if clauses.parsed.words[place].lower not in BE:
        return
    told = _read(clauses, place) or _read_what_it_is_now(clauses, place)
    phrase = clauses.phrase(told.value) if told else ""
    if told is None or not phrase:
        return
    if clauses.is_over(place):
        text = f"{told.owner}'s favourite {told.noun} is no longer {phrase}."
        yield Ending(told.owner, told.relation, tidy(phrase), text, object_is_value=True, valid_from=since)
    elif clauses.is_real(place):
        text = f"{told.owner}'s favourite {told.noun} is {phrase}."
        yield FoundRelationship(told.owner, told.relation, tidy(phrase), text, object_is_value=True)


def _read(clauses: Clauses, place: int) -> _Favourite | None:
    parsed = clauses.parsed
    first, second = parsed.child(place, "nsubj"), parsed.child(place, "attr", "acomp")
    if first is None or second is None:
        return None
    for thing, value in ((first, second), (second, first)):
        owner, noun = clauses.owner(thing), parsed.words[thing].lower
        below = parsed.children.get(thing, ())
        if owner and noun not in FAVOURITE | VAGUE and any(parsed.words[at].lower in FAVOURITE for at in below):
            kind = [parsed.words[at].lower for at in below if parsed.words[at].dep == "compound"]
            return _Favourite(owner, " ".join([*kind, noun]), value)
    return None


def _read_what_it_is_now(clauses: Clauses, place: int) -> _Favourite | None:
    """The "it" after what was just said to be so no more, in the same sentence or the one before."""
    parsed = clauses.parsed
    subject, value = parsed.child(place, "nsubj"), parsed.child(place, "attr", "acomp")
    if subject is None or value is None or parsed.words[subject].lower != "it":
        return None
    number = next(at for at, sentence in enumerate(parsed.sentences) if place in sentence)
    start = parsed.sentences[max(0, number - 1)][0]
    before = (at for at in range(place - 1, start - 1, -1) if parsed.words[at].lower in BE)
    former = next((told for at in before if clauses.is_over(at) and (told := _read(clauses, at))), None)
    return _Favourite(former.owner, former.noun, value) if former else None
