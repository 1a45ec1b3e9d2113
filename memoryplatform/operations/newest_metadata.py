"""Metadata of memories that are told again, for callers to whom a name has one value: that of the newest telling.

A memory of ours has the values of all its sources. To be asked for at the end of a retain, when those are stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, UnitChange, UnitMetadata, UnitSource

ACTOR = "retain"
REASON = "told again with other metadata"
RANDOM_BITS = 80  # of a UUIDv7, behind its milliseconds


@dataclass(frozen=True)
class MetadataRule:
    """`passing`: gone where the newest telling does not have it. `fixing`: a memory that has it keeps all else."""

    passing: str
    fixing: str

    def write(self) -> dict[str, str]:
        return asdict(self)

    @classmethod
    def read(cls, written: Mapping[str, str]) -> Self:
        return cls(**written)

    def find_stale(self, rows: Sequence[UnitMetadata], told: Mapping[str, str], *, since: datetime) -> set[UUID]:
        """Of one memory, after `told` was added to what it had."""
        is_fixed = any(row.key == self.fixing and is_older(row, since) for row in rows)
        return {
            row.id
            for row in rows
            if (told.get(row.key) != row.value and (row.key == self.passing or (row.key in told and not is_fixed)))
            or (is_fixed and told.get(row.key) == row.value and row.key != self.passing and not is_older(row, since))
        }


def is_older(row: UnitMetadata, moment: datetime) -> bool:
    return row.id.int >> RANDOM_BITS < int(moment.timestamp() * 1_000)


def keep_newest_metadata(bank: Bank, payload: Mapping[str, Any], *, since: datetime) -> None:
    """Of the memories that the sources of a retain told; it began at `since`. Call inside a tenant transaction.

    One of which only a part was told stays as it was.
    """
    rule = MetadataRule.read(payload["metadata_rule"])
    for source in payload["sources"]:
        told = source.get("metadata", {})
        of_source = name_source(source)
        by_unit = read_rows(bank, of_source)
        whole = find_told_whole(bank, of_source)
        for unit_id, rows in by_unit.items():
            stale = rule.find_stale(rows, told, since=since) if unit_id in whole else find_added(rows, since=since)
            note_change(bank, rows, stale, since=since)
            UnitMetadata.objects.for_tenant(bank.tenant_id).filter(id__in=stale).delete()


def name_source(source: Mapping[str, Any]) -> Q:
    if "document_pk" in source:
        return Q(chunk__document=source["document_pk"])
    return Q(message__in=source["message_ids"])


def find_told_whole(bank: Bank, of_source: Q) -> set[UUID]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(of_source, role=UnitSource.Role.SAID)
    return set(sources.values_list("unit_id", flat=True))


def find_added(rows: Sequence[UnitMetadata], *, since: datetime) -> set[UUID]:
    return {row.id for row in rows if not is_older(row, since)}


def read_rows(bank: Bank, of_source: Q) -> dict[UUID, list[UnitMetadata]]:
    """By the memories that rest on the source: what the agent only repeated does not."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(of_source)
    rows = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit__in=sources.values("unit_id"))
    found: dict[UUID, list[UnitMetadata]] = {}
    for row in rows.order_by("key", "id"):
        found.setdefault(row.unit_id, []).append(row)
    return found


def note_change(bank: Bank, rows: Sequence[UnitMetadata], stale: set[UUID], *, since: datetime) -> None:
    before = {row.key: row.value for row in rows if is_older(row, since)}
    after = {row.key: row.value for row in rows if row.id not in stale}
    if stale and before != after:
        UnitChange.objects.for_tenant(bank.tenant_id).create(
            unit_id=rows[0].unit_id,
            action=UnitChange.Action.EDITED,
            before={"metadata": before},
            after={"metadata": after},
            actor=ACTOR,
            reason=REASON,
        )
