"""Use-cases of entities and relationships: list, show, correct, merge and split."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from banks.curation.merging import merge_entities
from banks.curation.renaming import rename_entity
from banks.curation.splitting import Split, split_entity
from banks.entities.descriptions import empty_descriptions
from banks.entities.mentions import has_letters
from banks.entities.names.normalise import normalise_name
from banks.enums import Network
from banks.errors import EntityNotFound
from banks.locking import lock_memory
from banks.models import Bank, Entity, EntityKey, EntityName, MemoryUnit, Mention, Relationship
from banks.models.entity import EntityQuerySet
from banks.models.relationship import RelationshipQuerySet
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess, check_version, name_of, write_version
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.observation_refreshes import mark_and_refresh
from memoryplatform.operations.opinion_weighings import withdraw_split_evidence
from memoryplatform.operations.protection import screen_fields
from reflection.models import ObservedScope
from reflection.observations.scopes import UNCOMMITTED
from retrieval.filters.types import TagMatch

MOST_SHOWN = 20  # recent memories, observations and relationships of one entity
MOST_KEYS = 6  # of a searched name: more keys do not narrow the search


@dataclass(frozen=True)
class ShownEntity:
    entity: Entity
    aliases: tuple[str, ...]
    memories: tuple[MemoryUnit, ...]
    observations: tuple[MemoryUnit, ...]
    relationships: tuple[Relationship, ...]


def get_entity(bank: Bank, entity_id: UUID) -> Entity:
    """Call inside a tenant transaction."""
    entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
    if entity is None:
        raise EntityNotFound(entity_id)
    return entity


def find_entities(bank: Bank, *, kind: str = "", name: str = "", own_type: str = "") -> EntityQuerySet:
    """Entities with a name that has a word with this beginning. Call inside a tenant transaction."""
    entities = Entity.objects.of_bank(bank)
    if kind:
        entities = entities.filter(kind=kind)
    if own_type:
        entities = entities.filter(type=own_type)
    if not name:
        return entities
    start = normalise_name(name) if has_letters(name) else ""
    if not start:
        return entities.none()
    rows = EntityKey.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    for key in list_first_letters(start):  # by equality, which an index serves under row-level security
        entities = entities.filter(id__in=rows.filter(key=key).values("entity_id"))
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    alike = names.filter(Q(normalised_name__startswith=start) | Q(normalised_name__contains=f" {start}"))
    return entities.filter(id__in=alike.values("entity_id"))


def list_first_letters(start: str) -> list[str]:
    """The keys of the last word, which may be the beginning of a longer word."""
    padded = f"  {start.rsplit(maxsplit=1)[-1]}"
    return [padded[place : place + 3] for place in range(len(padded) - 2)][:MOST_KEYS]


def show_entity(access: BankAccess, bank_id: str, entity_id: UUID) -> ShownEntity:
    with bank_transaction(access, bank_id) as bank:
        return show(bank, get_entity(bank, entity_id))


def show(bank: Bank, entity: Entity) -> ShownEntity:
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).order_by("-uses", "id")
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity)
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=mentions.values("unit_id"))
    recent = units.order_by("-mentioned_at", "-id").defer("embedding", "second_embedding")
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().defer("embedding", "second_embedding")
    relationships = rows.filter(Q(subject=entity) | Q(object=entity)).order_by("-mentioned_at", "-id")
    return ShownEntity(
        entity,
        tuple(name for name in names.values_list("name", flat=True) if name != entity.name),
        tuple(recent[:MOST_SHOWN]),
        tuple(recent.filter(network=Network.OBSERVATION)[:MOST_SHOWN]),
        tuple(relationships[:MOST_SHOWN]),
    )


def change_entity(
    access: BankAccess,
    bank_id: str,
    entity_id: UUID,
    *,
    name: str | None,
    kind: str | None,
    expected: frozenset[str] | None = None,
) -> ShownEntity:
    """`expected` are the versions that the caller accepts; None accepts any."""
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        entity = get_entity(bank, entity_id)
        check_version(read_version(entity), expected)
        (name,) = screen_fields(bank, {"canonical_name": name}).values()
        rename_entity(bank, entity, name=name, kind=kind)
        fields = [field for field, value in (("name", name), ("kind", kind)) if value is not None]
        note(access, bank_id, "entity.changed", entity_id, {"fields": fields})
        return show(bank, entity)


def read_version(entity: Entity) -> str:
    return write_version({"canonical_name": entity.name, "kind": entity.kind})


def merge(access: BankAccess, bank_id: str, entity_id: UUID, other_ids: Sequence[UUID]) -> ShownEntity:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        began = timezone.now()
        merge_entities(bank, get_entity(bank, entity_id), other_ids)
        remake_observations(bank, {entity_id, *find_former_partners(bank, [entity_id], since=began)})
        note(access, bank_id, "entity.merged", entity_id, {"merged": [str(other_id) for other_id in other_ids]})
        return show(bank, get_entity(bank, entity_id))


def split(access: BankAccess, bank_id: str, entity_id: UUID, how: Split) -> ShownEntity:
    """Returns the new entity."""
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        (name,) = screen_fields(bank, {"canonical_name": how.name}).values()
        new = split_entity(bank, get_entity(bank, entity_id), replace(how, name=name))
        withdraw_split_evidence(bank, [entity_id, new.id], actor=name_of(access))
        remake_observations(bank, [entity_id, new.id])
        note(access, bank_id, "entity.split", entity_id, {"new": str(new.id)})
        return show(bank, new)


def remake_observations(bank: Bank, entity_ids: Collection[UUID]) -> None:
    """The facts of these entities have changed. Call inside a tenant transaction, after `lock_memory`."""
    empty_descriptions(bank, entity_ids)
    mark_and_refresh(bank, entity_ids, is_altered=True)


def note(access: BankAccess, bank_id: str, action: str, entity_id: UUID, detail: dict[str, Any]) -> None:
    target = f"entity:{entity_id}"
    access.record(action, target, {"bank_id": bank_id, **detail})


@dataclass(frozen=True)
class EntityChoice:
    """Without tags it chooses all entities. `exact` without tags chooses those in memories without tags."""

    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"

    @property
    def is_by_tags(self) -> bool:
        return bool(self.tags) or self.tags_match == "exact"


def list_mentioned(bank: Bank, choice: EntityChoice, *, limit: int, offset: int) -> tuple[list[Entity], int]:
    """A page of entities, the most mentioned first, and the number of all. Call inside a tenant transaction."""
    if not choice.is_by_tags:
        rows = find_entities(bank).defer("embedding", "second_embedding").order_by("-mention_count", "id")
        return list(rows[offset : offset + limit]), rows.count()
    seen = count_mentions(bank, find_tagged(bank, choice))
    page = list(seen[offset : offset + limit])
    entities = find_entities(bank).defer("embedding", "second_embedding").in_bulk([row["entity_id"] for row in page])
    return [set_counts(entities[row["entity_id"]], row) for row in page], seen.count()


def narrow_to_tags(bank: Bank, shown: ShownEntity, choice: EntityChoice) -> tuple[Entity, tuple[MemoryUnit, ...]]:
    """The entity with the counts of the tagged memories, and its tagged observations.

    Call inside a tenant transaction.
    """
    units = find_tagged(bank, choice)
    row = count_mentions(bank, units).filter(entity_id=shown.entity.id).first()
    if row is None:
        raise EntityNotFound(shown.entity.id)
    tagged = set(units.filter(id__in=[unit.id for unit in shown.observations]).values_list("id", flat=True))
    return set_counts(shown.entity, row), tuple(unit for unit in shown.observations if unit.id in tagged)


def find_tagged(bank: Bank, choice: EntityChoice) -> UnitQuerySet:
    return find_units(bank, MemoryFilter(tags=choice.tags, tags_match=choice.tags_match))


def count_mentions(bank: Bank, units: UnitQuerySet) -> QuerySet[Any, Any]:
    """The number, the first and the last time of each entity's mentions in the units; the most mentioned first.

    An observation repeats facts, so its mentions do not count.
    """
    counting = units.exclude(network=Network.OBSERVATION).values("id")
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=counting).values("entity_id")
    counted = rows.annotate(count=Count("*"), first=Min("unit__mentioned_at"), last=Max("unit__mentioned_at"))
    return counted.order_by("-count", "entity_id")


def set_counts(entity: Entity, row: dict[str, Any]) -> Entity:
    """Sets the counts on the entity, which is shown and not saved."""
    entity.mention_count, entity.first_seen_at, entity.last_seen_at = row["count"], row["first"], row["last"]
    return entity


def find_former_partners(bank: Bank, entity_ids: Collection[UUID], *, since: datetime) -> set[UUID]:
    """The other ends of relationships of these entities that ended since then, unless they were observed later.

    Call inside a tenant transaction.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(bank=bank)
    of_them = rows.filter(Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids))
    over = of_them.filter(expired_at__gte=since)
    ended: dict[UUID, datetime] = {}
    for *ends, at in over.values_list("subject_id", "object_id", "expired_at"):
        if at is not None:
            ended |= {one: max(at, ended.get(one, at)) for one in ends if one is not None and one not in entity_ids}
    seen = read_seen(bank, ended) if ended else {}
    return {one for one, at in ended.items() if one not in seen or seen[one] < at + UNCOMMITTED}


def read_seen(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, datetime]:
    scopes = ObservedScope.objects.of_bank(bank).filter(entity_id__in=entity_ids, seen_until__isnull=False)
    return dict(scopes.values_list("entity_id").annotate(first=Min("seen_until")).values_list("entity_id", "first"))


@dataclass(frozen=True)
class RelationshipFilter:
    """Every condition must hold; None lets all pass."""

    relation: str | None = None
    subject_id: UUID | None = None
    entity_id: UUID | None = None  # as subject or as object
    state: Literal["current", "superseded", "all"] = "all"
    as_of: datetime | None = None


def find_relationships(bank: Bank, wanted: RelationshipFilter) -> RelationshipQuerySet:
    """Without their vectors. Call inside a tenant transaction."""
    rows = Relationship.objects.of_bank(bank).defer("embedding", "second_embedding")
    if wanted.relation is not None:
        rows = rows.filter(relation=wanted.relation)
    if wanted.subject_id is not None:
        rows = rows.filter(subject_id=wanted.subject_id)
    if wanted.entity_id is not None:
        rows = rows.filter(Q(subject_id=wanted.entity_id) | Q(object_id=wanted.entity_id))
    if wanted.as_of is not None:
        rows = rows.true_at(wanted.as_of)
    if wanted.state == "current":
        return rows.current()
    return rows.exclude(expired_at=None) if wanted.state == "superseded" else rows
