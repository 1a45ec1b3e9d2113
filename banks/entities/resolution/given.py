"""Whom the caller says a source is about.

A given entity belongs to the facts of a passage that name it, by any name that it is known by. Where none does, it
belongs to all of them: the caller knows more about his source than its words tell.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from banks.entities.names.compare import compare_names
from banks.entities.names.likeness import LIKELY
from banks.entities.names.normalise import identity_key
from banks.entities.record import has_letters
from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.candidate_index import names_of
from banks.entities.resolution.known import find_candidates
from banks.entities.types import MentionOf
from banks.models import Bank
from banks.retain.types import ExtractedFact, FoundEntity, FoundRelationship
from banks.words import EntityKind
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Given:
    """An entity of the caller's with all the names that the bank knows it by, its own among them."""

    entity: FoundEntity
    names: frozenset[str]

    def is_called(self, name: str) -> bool:
        return identity_key(name) in {identity_key(known) for known in self.names}

    def is_in(self, text: str) -> bool:
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in self.names)


def read_given(bank: Bank, entities: Sequence[FoundEntity], *, seen_at: datetime) -> tuple[Given, ...]:
    """Call outside of transactions, before the facts are planned."""
    usable = [entity for entity in entities if has_letters(entity.name)]
    if not usable:
        return ()
    mentions = [
        MentionOf(entity.name, entity.kind, frozenset(), seen_at, kind_is_stated=entity.is_stated) for entity in usable
    ]
    with tenant_transaction(bank.tenant_id):
        candidates = {one.id: one for one in find_candidates(bank, {entity.name for entity in usable})}
    known = [
        names_of(candidates[decision.entity_id])
        if decision.verdict == "same" and decision.entity_id is not None
        else frozenset[str]()
        for decision in resolve_all(mentions, list(candidates.values()))
    ]
    return tuple(Given(entity, names | {entity.name}) for entity, names in zip(usable, known, strict=True))


def attach_given(facts: Sequence[ExtractedFact], given: Sequence[Given]) -> tuple[ExtractedFact, ...]:
    """`facts` are those of one passage: an episode's, a chunk's."""
    attached = tuple(facts)
    for one in given:
        named = tuple(name_in_fact(fact, one, given) for fact in attached)
        if any(named):
            attached = tuple(told or fact for told, fact in zip(named, attached, strict=True))
        else:
            attached = tuple(replace(fact, entities=(*fact.entities, one.entity)) for fact in attached)
    return attached


def name_in_fact(fact: ExtractedFact, one: Given, given: Sequence[Given]) -> ExtractedFact | None:
    """The fact with the entity, None where it does not name it."""
    if any(one.is_called(found.name) for found in fact.entities if has_letters(found.name)):
        entities = tuple(with_stated_kind(found, one.entity) for found in fact.entities)
        return replace(fact, entities=entities)
    if (other := find_other_name(fact, one, given)) is not None:
        return rename_in_fact(fact, other, one.entity)
    return replace(fact, entities=(*fact.entities, one.entity)) if one.is_in(fact.text) else None


def with_stated_kind(found: FoundEntity, stated: FoundEntity) -> FoundEntity:
    """The caller's kind counts for his name, whatever an engine read."""
    if stated.kind is EntityKind.OTHER or not has_letters(found.name):
        return found
    is_it = identity_key(found.name) == identity_key(stated.name)
    return replace(found, kind=stated.kind, is_guess=False) if is_it else found


def find_other_name(fact: ExtractedFact, one: Given, given: Sequence[Given]) -> FoundEntity | None:
    """Bob for Robert Chen, where no other of the given ones could be meant as well."""
    for found in fact.entities:
        if has_letters(found.name) and [other for other in given if is_likely(found, other.entity)] == [one]:
            return found
    return None


def is_likely(found: FoundEntity, given: FoundEntity) -> bool:
    kind = given.kind if found.is_guess else found.kind
    return compare_names(found.name, kind, given.name, given.kind).value >= LIKELY


def rename_in_fact(fact: ExtractedFact, other: FoundEntity, entity: FoundEntity) -> ExtractedFact:
    """Under both names it would be two: people who stand side by side in a fact are not merged."""
    return replace(
        fact,
        entities=tuple(entity if found is other else found for found in fact.entities),
        relationships=tuple(rename_in_relationship(told, other.name, entity.name) for told in fact.relationships),
    )


def rename_in_relationship(told: FoundRelationship, former: str, name: str) -> FoundRelationship:
    return replace(
        told,
        subject=name if told.subject == former else told.subject,
        object=name if told.object == former and not told.object_is_value else told.object,
    )
