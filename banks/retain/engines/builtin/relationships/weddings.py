"""Couples that came together: "Tom and I got married", "Alice and Bob are engaged"."""

from collections.abc import Iterator
from datetime import datetime

from banks.retain.engines.builtin.relationships.clauses import Clauses
from banks.retain.engines.builtin.relationships.partings import find_joined_partner
from banks.retain.types import FoundRelationship

JOINING = {"married": "married_to", "engaged": "engaged_to"}
ELSE = frozenset({"to", "by", "in", "with"})  # "married to Peter" has its object, "engaged in talks" is no couple


def find_weddings(clauses: Clauses, place: int, *, since: datetime | None) -> Iterator[FoundRelationship]:
    relation = JOINING.get(clauses.parsed.words[place].lower)
    if relation is None or clauses.parsed.child(place, "dobj") is not None or clauses.object_after(place, ELSE):
        return
    subject, partner = clauses.subject(place), find_joined_partner(clauses, place)
    if subject and partner and partner.name and clauses.is_real(place):
        wording = relation.replace("_", " ")
        text = f"{subject} is {wording} {partner.name}."
        yield FoundRelationship(subject, relation, partner.name, text, valid_from=since)
