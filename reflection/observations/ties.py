"""The relationships of an entity, as far as facts under some tags tell them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When

from banks.entities.yet_to_come import begins_after
from banks.lifecycle.observed_spans import AnnouncedEnd
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from reflection.observations.scopes import filter_worn
from reflection.observations.told import Told
from reflection.observations.types import Held

MOST_HELD = 20
SOURCES_OF_ONE = 10  # facts named for one relationship
READ_OF_TELLERS = ("relationship__announced_at", "relationship__superseded_by_id", "unit__recorded_at", "tenant_id")


@dataclass(frozen=True)
class Ties:
    """Of the relationships that a fact tells: whether one is over, and from when they hold, where none does yet."""

    begins: datetime | None = None
    is_over: bool = False


def read_ties(bank: Bank, units: Sequence[MemoryUnit], *, now: datetime) -> dict[UUID, Ties]:
    """By the fact. Call inside a tenant transaction."""
    said_at = {unit.id: unit.mentioned_at for unit in units}
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=said_at)
    told: defaultdict[UUID, list[Relationship]] = defaultdict(list)
    for row in sources.select_related("relationship").defer("relationship__embedding"):
        told[row.unit_id].append(row.relationship)
    return {unit_id: build_ties(rows, said_at=said_at[unit_id], now=now) for unit_id, rows in told.items()}


def build_ties(rows: Sequence[Relationship], *, said_at: datetime, now: datetime) -> Ties:
    """What ended and is so again is not over, nor what a fact tells the end of."""
    held = [row for row in rows if row.expired_at is None]
    ended = [row for row in rows if row.expired_at is not None and said_at < (row.valid_until or row.expired_at)]
    coming = [row.valid_from for row in held if row.valid_from is not None and row.valid_from > now]
    begins = min(coming) if coming and len(coming) == len(held) else None
    return Ties(begins, is_over=bool(set(map(identify, ended)) - set(map(identify, held))))


def identify(row: Relationship) -> tuple[UUID, str, UUID | None, str]:
    return (row.subject_id, row.relation, row.object_id, row.value)


def read_held(bank: Bank, entity_id: UUID, told: Told, *, now: datetime) -> tuple[Held, ...]:
    """What facts of the scope tell, what has begun before what will, the most proven and newest first.

    A relationship has the words of who told it first. Where facts under other tags tell it too, it is put into words
    from its parts, which all of them tell.
    """
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    rows = Relationship.objects.for_tenant(bank.tenant_id).current().filter(bank=bank)
    in_scope = sources.filter(
        relationship=OuterRef("pk"), unit__tags_hash=told.scope.tags_hash, unit__expired_at__isnull=True
    )
    of_entity = rows.filter(Q(subject_id=entity_id) | Q(object_id=entity_id)).filter(Exists(in_scope))
    is_ahead = Case(When(valid_from__gt=now, then=1), default=0)
    best = of_entity.order_by(is_ahead, "-proof_count", "-mentioned_at", "id").select_related("subject", "object")
    held = list(best.defer("embedding", "subject__embedding", "object__embedding")[:MOST_HELD])
    telling = sources.filter(relationship__in=held)
    elsewhere = telling.exclude(unit__tags_hash=told.scope.tags_hash)
    shared = set(elsewhere.values_list("relationship_id", flat=True))
    named = read_tellers(bank, telling.filter(unit__tags_hash=told.scope.tags_hash), told)
    return tuple(
        Held(
            put_into_words(one) if one.id in shared else one.text,
            named[one.id],
            one.valid_from if begins_after(one.valid_from, now) else None,
            AnnouncedEnd(one.valid_until, one.announced_at) if one.valid_until and one.announced_at else None,
            one.mentioned_at,
        )
        for one in held
    )


def read_tellers(bank: Bank, telling: QuerySet[RelationshipSource], told: Told) -> Mapping[UUID, tuple[UUID, ...]]:
    """The facts of the scope by the relationship that they tell, the newest few of each. Those that told its end, where
    others tell that it is so, are none of them: they begin when it is over.
    """
    rows = list(telling.order_by("-id").select_related("relationship", "unit").only(*READ_OF_TELLERS))
    units = MemoryUnit.objects.of_bank(bank).filter(id__in={row.unit_id for row in rows})
    worn = set(filter_worn(bank, units, told.tags).values_list("id", flat=True))
    found: defaultdict[UUID, list[RelationshipSource]] = defaultdict(list)
    for row in rows:
        if row.unit_id in worn:
            found[row.relationship_id].append(row)
    return defaultdict(tuple, {relationship_id: choose_tellers(own) for relationship_id, own in found.items()})


def choose_tellers(rows: Sequence[RelationshipSource]) -> tuple[UUID, ...]:
    telling = [row for row in rows if not tells_end(row)] or rows
    return tuple(row.unit_id for row in telling[:SOURCES_OF_ONE])


def tells_end(row: RelationshipSource) -> bool:
    """What a fact announced has the moment from it."""
    return row.relationship.superseded_by_id is None and row.relationship.announced_at == row.unit.recorded_at


def put_into_words(held: Relationship) -> str:
    thing = held.object.name if held.object else held.value
    return f"{held.subject.name} {held.relation.replace('_', ' ')} {thing}."
