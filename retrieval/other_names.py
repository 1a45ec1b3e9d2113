"""A query may call somebody as no memory of him does: "Sparrow", or "Nadia's husband", who is always Robert Chen."""

from collections.abc import Iterable
from typing import NamedTuple

from banks.entities.names.normalise import normalise_name
from retrieval.query.kin import Kin
from retrieval.types import NamedEntity

MOST = 2  # an alias that more of them share tells nobody


class OtherNames(NamedTuple):
    """Of those whom the query calls by an alias, and of those whom it calls by whose they are."""

    aliased: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        return self.aliased + self.kin


def find_other_names(names: Iterable[str], entities: Iterable[NamedEntity]) -> tuple[str, ...]:
    """What those are called that the query names with no word of it. `names` are the query's, normalised.

    Who is called by a part of his name is found by that: memories have it too.
    """
    said = {word for name in names for word in name.split()}
    others = dict.fromkeys(one.name for one in entities if said.isdisjoint(normalise_name(one.name).split()))
    return tuple(others) if len(others) <= MOST else ()


def write_names_out(text: str, others: OtherNames, kin: Kin | None = None) -> str:
    """For the reranker, which knows of an alias only what it is told: "Where does Sparrow live? (Robert Chen)".

    One who is named by whose he is takes the place of those words: what tells of Nadia is not what is asked for.
    """
    if kin is not None and len(others.kin) == 1:
        return write_names_out(text.replace(kin.phrase, others.kin[0], 1), others._replace(kin=()))
    return " ".join([text, *(f"({name})" for name in others.every)])
