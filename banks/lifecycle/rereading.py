"""The entities and relationships of a fact whose text was edited."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from banks.entities.descriptions import empty_descriptions
from banks.entities.mentions import find_new_names, read_mentions, record_mentions
from banks.entities.names.normalise import identity_key, mentions
from banks.entities.recount import forget_names, recount_entities
from banks.entities.types import Naming, Resolved
from banks.facts import PreparedFact
from banks.lifecycle.closing import close_units
from banks.lifecycle.deleting import Removed, delete_relationships
from banks.lifecycle.relationships import list_stated, store_relationships
from banks.lifecycle.retagging import delete_observations_of
from banks.models import Bank, MemoryUnit, Mention, Relationship, RelationshipSource
from banks.types import FoundRelationship, StoredUnit


def replace_entities_and_relationships(
    bank: Bank, unit: MemoryUnit, read: PreparedFact, *, former: str, actor: str
) -> Removed:
    """`read` is the engine's reading of the new text, `former` the text before. `touched_entities` are all that either
    text mentions.

    Call inside a tenant transaction, after `lock_memory`, when the unit has its new text.
    """
    removed = delete_observations_of(bank, [unit.id])
    before = read_mentions(bank, {unit.id})
    staying = find_staying(before, read, former=former)
    gone = [one for one in before if one not in staying]
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    rows.filter(entity_id__in=[one.entity_id for one in gone]).delete()
    resolved = [*staying, *name_others(bank, unit, read, staying)]
    over = replace_relationships(bank, unit, read, resolved, actor=actor)
    forget_names(bank, [(one.entity_id, one.name) for one in gone])
    touched = frozenset(one.entity_id for one in (*before, *resolved))
    entities = recount_entities(bank, touched)
    empty_descriptions(bank, over)
    return removed + Removed(entities=entities, touched_entities=touched | over)


def find_staying(before: Sequence[Resolved], read: PreparedFact, *, former: str) -> list[Resolved]:
    """Entities that the new text names, and those that only the caller gave: the former text did not name them."""
    named = {identity_key(entity.name) for entity in read.fact.entities}
    return [one for one in before if identity_key(one.name) in named or not mentions(former, one.name)]


def name_others(bank: Bank, unit: MemoryUnit, read: PreparedFact, staying: Sequence[Resolved]) -> list[Resolved]:
    new = find_new_names(read.fact.entities, staying, unit.id)
    beside = frozenset(one.name for one in staying)
    return record_mentions(bank, [Naming(unit.id, new, unit.mentioned_at, beside=beside)])


def replace_relationships(
    bank: Bank, unit: MemoryUnit, read: PreparedFact, resolved: Sequence[Resolved], *, actor: str
) -> set[UUID]:
    """The relationships that both texts state stay unchanged. The others are stored as in retain: a new value of a
    single-valued relation ends the former one. Returns the entities of relationships that ended.
    """
    now = timezone.now()
    stored = StoredUnit(unit.id, is_new=False)
    kept = find_kept(bank, stored, read, resolved)
    delete_relationships(bank, {unit.id}, but=kept.values())
    closings = store_relationships(bank, [drop_relationships(read, kept)], [stored], resolved, now=now)
    closed = close_units(bank, closings, now=now, actor=actor)
    stated = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit=unit).values("relationship_id")
    ended = Relationship.objects.of_bank(bank).filter(superseded_by__in=stated)
    ids = [*ended.values_list("id", flat=True), *closed.relationship_ids]
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(id__in=ids)
    return {one for pair in rows.values_list("subject_id", "object_id") for one in pair if one is not None}


def find_kept(
    bank: Bank, unit: StoredUnit, read: PreparedFact, resolved: Sequence[Resolved]
) -> dict[FoundRelationship, UUID]:
    """The current relationships that the new text states with the same beginning and end."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id=unit.id)
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(id__in=sources.values("relationship_id"))
    held = {
        (row.subject_id, row.relation, row.object_id, row.value): row
        for row in rows.defer("embedding", "second_embedding")
    }
    return {
        one.found: row.id
        for one in list_stated([read], [unit], resolved)
        if (row := held.get(one.key)) is not None
        if (row.valid_from, row.valid_until) == (one.found.valid_from, one.found.valid_until)
    }


def drop_relationships(read: PreparedFact, kept: Mapping[FoundRelationship, UUID]) -> PreparedFact:
    pairs = zip(read.fact.relationships, read.relationship_vectors, strict=True)
    fresh = [(found, vector) for found, vector in pairs if found not in kept]
    fact = replace(read.fact, relationships=tuple(found for found, _ in fresh))
    return replace(read, fact=fact, relationship_vectors=tuple(vector for _, vector in fresh))
