"""A fact under another text: what was read out of the former one goes with it, and what the new one tells is stored."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from banks.entities.named import Naming, Resolved
from banks.entities.names.normalise import identity_key
from banks.entities.outdated import empty_descriptions
from banks.entities.record import record_mentions
from banks.entities.recount import forget_names, recount_entities
from banks.entities.spoken_of import find_new_names, read_spoken_of
from banks.lifecycle.close import close_units
from banks.lifecycle.delete import Removed, delete_relationships
from banks.lifecycle.retagged import forget_observations
from banks.models import Bank, MemoryUnit, Mention, Relationship, RelationshipSource
from banks.retain.engines.builtin.naming import mentions
from banks.retain.prepared import PreparedFact
from banks.retain.relationships.relations import Ending, Staying, TakenBack
from banks.retain.relationships.store import list_told, store_relationships
from banks.retain.storing.facts import retire_closed
from banks.retain.storing.units import StoredUnit
from banks.retain.types import FoundRelationship


def retell(bank: Bank, unit: MemoryUnit, told: PreparedFact, *, former: str, actor: str) -> Removed:
    """`told` is the new text as it was read, `former` the text that the unit had. `touched_entities` are all that
    either speaks of.

    Call inside a tenant transaction, after `lock_memory`, when the unit has its new text.
    """
    removed = forget_observations(bank, [unit.id])
    before = read_spoken_of(bank, {unit.id})
    staying = find_staying(before, told, former=former)
    gone = [one for one in before if one not in staying]
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit=unit)
    rows.filter(entity_id__in=[one.entity_id for one in gone]).delete()
    resolved = [*staying, *name_others(bank, unit, told, staying)]
    over = replace_relationships(bank, unit, told, resolved, actor=actor)
    forget_names(bank, [(one.entity_id, one.name) for one in gone])
    touched = frozenset(one.entity_id for one in (*before, *resolved))
    entities = recount_entities(bank, touched)
    empty_descriptions(bank, over)
    return removed + Removed(entities=entities, touched_entities=touched | over)


def find_staying(before: Sequence[Resolved], told: PreparedFact, *, former: str) -> list[Resolved]:
    """Those that the new text names too, whoever else may have that name, and those that were never read out of the
    text: who retained the memory knew more than its words.
    """
    named = {identity_key(entity.name) for entity in told.fact.entities}
    return [one for one in before if identity_key(one.name) in named or not mentions(former, one.name)]


def name_others(bank: Bank, unit: MemoryUnit, told: PreparedFact, staying: Sequence[Resolved]) -> list[Resolved]:
    new = find_new_names(told.fact.entities, staying, unit.id)
    beside = frozenset(one.name for one in staying)
    return record_mentions(bank, [Naming(unit.id, new, unit.mentioned_at, beside=beside)])


def replace_relationships(
    bank: Bank, unit: MemoryUnit, told: PreparedFact, resolved: Sequence[Resolved], *, actor: str
) -> set[UUID]:
    """Those that both texts tell stay as they are. The rest is stored as retain does it: another value of a relation
    that has one at a time ends the former. Returns the entities of what ended so.
    """
    now = timezone.now()
    stored = StoredUnit(unit.id, is_new=False)
    retold = find_retold(bank, stored, told, resolved)
    delete_relationships(bank, {unit.id}, but=retold.values())
    news = store_relationships(bank, [without(told, retold)], [stored], resolved, now=now, actor=actor)
    closed = close_units(bank, news.closings, now=now, actor=actor)
    retire_closed(bank, news, closed)
    return find_ends(bank, [*news.closed_ids, *closed.relationship_ids])


def find_retold(
    bank: Bank, unit: StoredUnit, told: PreparedFact, resolved: Sequence[Resolved]
) -> dict[FoundRelationship, UUID]:
    """Those that hold already as the new text tells them, since when and until when included."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id=unit.id)
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(id__in=sources.values("relationship_id"))
    held = {(row.subject_id, row.relation, row.object_id, row.value): row for row in rows.defer("embedding")}
    return {
        one.found: row.id
        for one in list_told([told], [unit], resolved)
        if (row := held.get(one.key)) is not None and not isinstance(one.found, Ending | Staying | TakenBack)
        if (row.valid_from, row.valid_until) == (one.found.valid_from, one.found.valid_until)
    }


def without(told: PreparedFact, retold: Mapping[FoundRelationship, UUID]) -> PreparedFact:
    pairs = zip(told.fact.relationships, told.relationship_vectors, strict=True)
    fresh = [(found, vector) for found, vector in pairs if found not in retold]
    fact = replace(told.fact, relationships=tuple(found for found, _ in fresh))
    return replace(told, fact=fact, relationship_vectors=tuple(vector for _, vector in fresh))


def find_ends(bank: Bank, relationship_ids: Collection[UUID]) -> set[UUID]:
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(id__in=relationship_ids)
    return {one for pair in rows.values_list("subject_id", "object_id") for one in pair if one is not None}
