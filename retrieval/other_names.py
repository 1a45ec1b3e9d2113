"""A query may call somebody as no memory of him does: "Sparrow", who is Robert Chen in all of them."""

from collections.abc import Iterable

from banks.entities.normalise import normalise_name
from retrieval.types import NamedEntity

MOST = 2  # an alias that more of them share tells nobody


def find_other_names(names: Iterable[str], entities: Iterable[NamedEntity]) -> tuple[str, ...]:
    """What those are called that the query names with no word of it. `names` are the query's, normalised.

    Who is called by a part of his name is found by that: memories have it too.
    """
    said = {word for name in names for word in name.split()}
    others = dict.fromkeys(one.name for one in entities if said.isdisjoint(normalise_name(one.name).split()))
    return tuple(others) if len(others) <= MOST else ()


def write_names_out(text: str, others: Iterable[str]) -> str:
    """For the reranker, which knows of an alias only what it is told: "Where does Sparrow live? (Robert Chen)"."""
    return " ".join([text, *(f"({name})" for name in others)])
