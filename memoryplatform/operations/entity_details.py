"""Entities for people to read: a list by mentions, and one entity with its observations, relationships and company."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q

from banks.enums import Network
from banks.models import Bank, CoOccurrence, Entity, EntityName, MemoryUnit, Mention, Relationship, UnitSource
from memoryplatform.operations.entities import RelationshipFilter, find_entities, find_relationships

PAGE_SIZE = 50
MOST_FACTS = 20
MOST_OBSERVATIONS = 20
MOST_RELATIONSHIPS = 60
MOST_COMPANIONS = 12
VECTORS = ("embedding", "second_embedding")


@dataclass(frozen=True)
class EntityPage:
    rows: list[Entity]
    next_cursor: str  # empty on the last page


@dataclass(frozen=True)
class Companion:
    """Another entity, and in how many memories both are."""

    entity: Entity
    count: int


@dataclass(frozen=True)
class SourcedObservation:
    unit: MemoryUnit
    facts: tuple[MemoryUnit, ...]


@dataclass(frozen=True)
class EntityDetails:
    entity: Entity
    aliases: tuple[tuple[str, int], ...]  # each with its number of uses
    facts: tuple[MemoryUnit, ...]
    observations: tuple[SourcedObservation, ...]
    relationships: tuple[Relationship, ...]
    companions: tuple[Companion, ...]


def list_by_mentions(bank: Bank, *, kind: str = "", name: str = "", cursor: str = "") -> EntityPage:
    """The most mentioned first. Call inside a tenant transaction.

    A cursor is the count and the id of the last row. Anything else begins with the first page.
    """
    rows = find_entities(bank, kind=kind, name=name).defer(*VECTORS).order_by("-mention_count", "id")
    if place := read_cursor(cursor):
        count, last_id = place
        rows = rows.filter(Q(mention_count__lt=count) | Q(mention_count=count, id__gt=last_id))
    found = list(rows[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    return EntityPage(shown, f"{shown[-1].mention_count}.{shown[-1].id}" if len(found) > PAGE_SIZE else "")


def read_cursor(cursor: str) -> tuple[int, UUID] | None:
    count, _, last_id = cursor.partition(".")
    try:
        return (int(count), UUID(last_id)) if count.isascii() and len(count) < 10 else None  # noqa: PLR2004
    except ValueError:
        return None


def describe_entity(bank: Bank, entity: Entity) -> EntityDetails:
    """Call inside a tenant transaction."""
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).order_by("-uses", "id")
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity)
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=mentions.values("unit_id")).defer(*VECTORS)
    newest = units.order_by("-mentioned_at", "-id")
    observations = list(newest.filter(network=Network.OBSERVATION)[:MOST_OBSERVATIONS])
    facts = read_facts(bank, [unit.id for unit in observations])
    related = find_relationships(bank, RelationshipFilter(entity_id=entity.id)).select_related("subject", "object")
    own = related.exclude(close_reason=Relationship.CloseReason.CORRECTION)  # it never was true
    without = [f"{end}__{column}" for end in ("subject", "object") for column in VECTORS]
    return EntityDetails(
        entity,
        tuple((name, uses) for name, uses in names.values_list("name", "uses") if name != entity.name),
        tuple(newest.exclude(network=Network.OBSERVATION)[:MOST_FACTS]),
        tuple(SourcedObservation(unit, tuple(facts[unit.id])) for unit in observations),
        tuple(own.defer(*VECTORS, *without).order_by("-mentioned_at", "-id")[:MOST_RELATIONSHIPS]),
        list_companions(bank, entity),
    )


def read_facts(bank: Bank, observation_ids: Sequence[UUID]) -> defaultdict[UUID, list[MemoryUnit]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=observation_ids, other_unit__isnull=False)
    facts: defaultdict[UUID, list[MemoryUnit]] = defaultdict(list)
    for row in rows.select_related("other_unit").defer(*(f"other_unit__{one}" for one in VECTORS)).order_by("id"):
        if row.other_unit is not None:
            facts[row.unit_id].append(row.other_unit)
    return facts


def list_companions(bank: Bank, entity: Entity) -> tuple[Companion, ...]:
    pairs = CoOccurrence.objects.for_tenant(bank.tenant_id).filter(Q(first=entity) | Q(second=entity))
    most = pairs.order_by(F("count").desc(), "id").values_list("first", "second", "count")[:MOST_COMPANIONS]
    found = {second if first == entity.id else first: count for first, second, count in most}
    entities = Entity.objects.of_bank(bank).defer(*VECTORS).in_bulk(list(found))
    return tuple(Companion(entities[one], count) for one, count in found.items() if one in entities)


@dataclass(frozen=True)
class RelationshipBar:
    """How long a relationship held, as shares of the whole time in percent. `until` is None where it still holds."""

    relationship: Relationship
    other: str
    other_id: UUID | None
    since: datetime
    until: datetime | None
    left: float
    width: float


def draw_relationships(details: EntityDetails, *, now: datetime) -> tuple[list[RelationshipBar], datetime | None]:
    """The bars, grouped by relation and in the order of time, and the left end of the drawing."""
    rows = details.relationships
    first = min((one.valid_from or one.mentioned_at for one in rows), default=None)
    if first is None:
        return [], None
    whole = max((now - first).total_seconds(), 1)
    bars = []
    for row in sorted(rows, key=lambda one: (one.relation, one.valid_from or one.mentioned_at)):
        since, until = row.valid_from or row.mentioned_at, row.valid_until or row.expired_at
        is_subject = row.subject_id == details.entity.id
        other = row.object if is_subject else row.subject
        left = max((since - first).total_seconds(), 0) / whole * 100
        right = min(((until or now) - first).total_seconds() / whole * 100, 100)
        name, other_id = (other.name, other.id) if other else (row.value, None)
        bars.append(RelationshipBar(row, name, other_id, since, until, left, max(right - left, 1.2)))
    return bars, first
