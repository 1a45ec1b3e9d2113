"""Entities that the caller gives with a source.

A given entity belongs to the facts of a passage that name it, by any of its known names. If no fact names it, it
belongs to all of them: the caller knows more about the source than its text says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banks.entities.mentions import has_letters
from banks.entities.names.compare import compare_names
from banks.entities.names.likeness import DOUBTFUL
from banks.entities.names.normalise import identity_key, mentions
from banks.entities.resolution.batch import names_of, resolve_all
from banks.entities.resolution.known import find_candidates
from banks.entities.types import MentionOf
from banks.enums import EntityKind
from banks.models import Bank
from banks.types import ExtractedFact, FoundEntity, FoundRelationship
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Given:
    """An entity from the caller, with all its known names in the bank and its given name."""

    entity: FoundEntity
    names: frozenset[str]

    def is_called(self, name: str) -> bool:
        return identity_key(name) in {identity_key(known) for known in self.names}

    def is_in(self, text: str) -> bool:
        return any(mentions(text, name) for name in self.names)


def read_given(bank: Bank, entities: Sequence[FoundEntity], *, seen_at: datetime) -> tuple[Given, ...]:
    """Call outside of transactions, before the facts are planned."""
    usable = [entity for entity in entities if has_letters(entity.name)]
    if not usable:
        return ()
    named = [
        MentionOf(entity.name, entity.kind, frozenset(), seen_at, kind_is_stated=entity.is_stated) for entity in usable
    ]
    with tenant_transaction(bank.tenant_id):
        candidates = {one.id: one for one in find_candidates(bank, {entity.name for entity in usable})}
    known = [
        names_of(candidates[decision.entity_id])
        if decision.verdict == "same" and decision.entity_id is not None
        else frozenset[str]()
        for decision in resolve_all(named, list(candidates.values()))
    ]
    return tuple(Given(entity, names | {entity.name}) for entity, names in zip(usable, known, strict=True))


def attach_given(facts: Sequence[ExtractedFact], given: Sequence[Given]) -> tuple[ExtractedFact, ...]:
    """`facts` are those of one passage: an episode's, a chunk's."""
    attached = tuple(facts)
    for one in given:
        named = tuple(name_in_fact(fact, one, given) for fact in attached)
        if any(named):
            attached = tuple(changed or fact for changed, fact in zip(named, attached, strict=True))
        else:
            attached = tuple(replace(fact, entities=(*fact.entities, one.entity)) for fact in attached)
    return attached


def name_in_fact(fact: ExtractedFact, one: Given, given: Sequence[Given]) -> ExtractedFact | None:
    """The fact with the entity, or None if the fact does not name it."""
    if any(one.is_called(found.name) for found in fact.entities if has_letters(found.name)):
        entities = tuple(set_stated_kind(found, one.entity) for found in fact.entities)
        return replace(fact, entities=entities)
    if (other := find_other_name(fact, one, given)) is not None:
        return rename_in_fact(fact, other, one.entity)
    return replace(fact, entities=(*fact.entities, one.entity)) if one.is_in(fact.text) else None


def set_stated_kind(found: FoundEntity, stated: FoundEntity) -> FoundEntity:
    """The caller's kind wins over the engine's for the given name."""
    if stated.kind is EntityKind.OTHER or not has_letters(found.name):
        return found
    is_it = identity_key(found.name) == identity_key(stated.name)
    return replace(found, kind=stated.kind, is_guess=False) if is_it else found


def find_other_name(fact: ExtractedFact, one: Given, given: Sequence[Given]) -> FoundEntity | None:
    """A name in the fact that can only mean this given entity: Bob for Robert Chen."""
    for found in fact.entities:
        if has_letters(found.name) and [other for other in given if is_likely(found, other.entity)] == [one]:
            return found
    return None


def is_likely(found: FoundEntity, given: FoundEntity) -> bool:
    kind = given.kind if found.is_guess else found.kind
    return compare_names(found.name, kind, given.name, given.kind).value >= DOUBTFUL


def rename_in_fact(fact: ExtractedFact, other: FoundEntity, entity: FoundEntity) -> ExtractedFact:
    """Give the entity one name in the fact: two names of people in one fact are never merged."""
    return replace(
        fact,
        entities=tuple(entity if found is other else found for found in fact.entities),
        relationships=tuple(rename_in_relationship(one, other.name, entity.name) for one in fact.relationships),
    )


def rename_in_relationship(found: FoundRelationship, former: str, name: str) -> FoundRelationship:
    return replace(
        found,
        subject=name if found.subject == former else found.subject,
        object=name if found.object == former and not found.object_is_value else found.object,
    )
