"""Memories with their rows in other tables, read with a fixed number of queries for a page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Entity, Link, MemoryUnit, Mention, UnitMetadata, UnitSource, UnitTag
from banks.models.unit import UnitChange

T = TypeVar("T")
LONGEST_EXCERPT = 2_000  # characters of a source that are shown
MOST_LINKS = 50
CLOSING = (UnitChange.Action.INVALIDATED, UnitChange.Action.SUPERSEDED)


@dataclass(frozen=True)
class DescribedLink:
    unit: MemoryUnit
    type: str
    weight: float
    direction: str


@dataclass(frozen=True)
class DescribedUnit:
    unit: MemoryUnit
    tags: tuple[str, ...]
    metadata: dict[str, str]
    entities: tuple[Entity, ...]
    sources: tuple[UnitSource, ...]
    edited_at: datetime | None = None  # by hand
    closed_because: str = ""  # the explanation of the closing
    links: tuple[DescribedLink, ...] = ()

    @property
    def chunk_id(self) -> UUID | None:
        return next((source.chunk_id for source in self.sources if source.chunk_id), None)

    @property
    def document_id(self) -> str | None:
        return next((found for source in self.sources if (found := document_of(source))), None)


def describe_units(bank: Bank, units: Sequence[MemoryUnit]) -> list[DescribedUnit]:
    """Call inside a tenant transaction."""
    ids = [unit.id for unit in units]
    tags, metadata = read_tags(bank, ids), read_metadata(bank, ids)
    entities, sources, edited = read_entities(bank, ids), read_sources(bank, ids), read_edit_times(bank, ids)
    reasons = read_closing_words(bank, [unit.id for unit in units if unit.expired_at is not None])
    return [
        DescribedUnit(
            unit,
            tuple(tags[unit.id]),
            metadata[unit.id],
            tuple(entities[unit.id]),
            tuple(sources[unit.id]),
            edited.get(unit.id),
            reasons.get(unit.id, ""),
        )
        for unit in units
    ]


def read_tags(bank: Bank, ids: Sequence[UUID]) -> defaultdict[UUID, list[str]]:
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids)
    return group(rows.order_by("tag").values_list("unit_id", "tag"))


def read_metadata(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, dict[str, str]]:
    rows = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).order_by("key", "id")
    values = group((row.unit_id, (row.key, row.value)) for row in rows)
    return {unit_id: dict(values[unit_id]) for unit_id in ids}


def read_entities(bank: Bank, ids: Sequence[UUID]) -> defaultdict[UUID, list[Entity]]:
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).select_related("entity").order_by("id")
    return group((row.unit_id, row.entity) for row in rows.defer("entity__embedding", "entity__second_embedding"))


def read_sources(bank: Bank, ids: Sequence[UUID]) -> defaultdict[UUID, list[UnitSource]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).order_by("id")
    joined = rows.select_related("message", "chunk__document").defer(
        "chunk__embedding", "chunk__second_embedding", "chunk__document__text"
    )
    return group((row.unit_id, row) for row in joined)


def group(pairs: Iterable[tuple[UUID, T]]) -> defaultdict[UUID, list[T]]:
    grouped: defaultdict[UUID, list[T]] = defaultdict(list)
    for unit_id, value in pairs:
        grouped[unit_id].append(value)
    return grouped


def read_edit_times(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """The time of the last manual edit of each unit."""
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids, action=UnitChange.Action.EDITED)
    return dict(rows.order_by("changed_at").values_list("unit_id", "changed_at"))


def read_closing_words(bank: Bank, ids: Sequence[UUID]) -> dict[UUID, str]:
    """The reason of each unit's last closing, by hand or by a successor."""
    if not ids:
        return {}
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids, action__in=CLOSING)
    return dict(rows.order_by("changed_at").values_list("unit_id", "reason"))


def document_of(source: UnitSource) -> str:
    return source.chunk.document.document_id if source.chunk and source.chunk.document else ""


def quote(source: UnitSource) -> str:
    """The characters of the source, as they were said or written."""
    if source.message:
        whole = source.message.content
    elif source.chunk:
        whole = source.chunk.text
    else:
        return ""
    return whole[source.start or 0 : source.end or None][:LONGEST_EXCERPT]


def read_links(bank: Bank, unit: MemoryUnit) -> list[DescribedLink]:
    """The strongest first. Call inside a tenant transaction."""
    rows = Link.objects.for_tenant(bank.tenant_id).filter(Q(source=unit) | Q(target=unit))
    joined = rows.select_related("source", "target").defer(
        "source__embedding", "source__second_embedding", "target__embedding", "target__second_embedding"
    )
    return [
        DescribedLink(
            unit=row.target if row.source_id == unit.id else row.source,
            type=row.type,
            weight=row.weight,
            direction="out" if row.source_id == unit.id else "in",
        )
        for row in joined.order_by("-weight", "id")[:MOST_LINKS]
    ]
