"""Metadata of memories that are confirmed, for mem0's interface, in which a name has one value: the newest.

Our own memories have the values of all their sources. Call it at the end of a retain, when the sources are stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    """A memory loses `expiration_key` if its newest source lacks it. `immutable_key` keeps all other metadata."""

    expiration_key: str
    immutable_key: str

    def write(self) -> dict[str, str]:
        """For the payload of an operation. Stored payloads have these names."""
        return {"passing": self.expiration_key, "fixing": self.immutable_key}

    @classmethod
    def read(cls, written: Mapping[str, str]) -> Self:
        return cls(written["passing"], written["fixing"])

    def choose(
        self, rows: Sequence[UnitMetadata], newest: Mapping[str, str], *, before: Sequence[UnitMetadata]
    ) -> list[UnitMetadata]:
        """The rows that stay of all `rows` of a memory, after the `newest` metadata was added to the rows `before`."""
        is_immutable = any(row.key == self.immutable_key for row in before)

        def stays(row: UnitMetadata) -> bool:
            if row.key == self.expiration_key:
                return newest.get(row.key) == row.value
            return row in before if is_immutable else newest.get(row.key, row.value) == row.value

        return [row for row in rows if stays(row)]


def keep_newest_metadata(bank: Bank, payload: Mapping[str, Any], *, since: datetime) -> None:
    """Applies the rule to the memories of a retain that began at `since`. Call inside a tenant transaction.

    A memory of which the retain has only a part keeps its metadata.
    """
    rule = MetadataRule.read(payload["metadata_rule"])
    for source in payload["sources"]:
        newest, is_document = source.get("metadata", {}), "document_pk" in source
        of_source = Q(chunk__document=source["document_pk"]) if is_document else Q(message__in=source["message_ids"])
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(of_source, role=UnitSource.Role.SAID)
        whole = set(sources.values_list("unit_id", flat=True))
        for unit_id, rows in read_rows(bank, of_source).items():
            before = [row for row in rows if is_older(row.id, since)]
            after = rule.choose(rows, newest, before=before) if unit_id in whole else before
            if is_older(unit_id, since):
                note_change(bank, unit_id, before, after)
            stale = {row.id for row in rows} - {row.id for row in after}
            UnitMetadata.objects.for_tenant(bank.tenant_id).filter(id__in=stale).delete()


def is_older(row_id: UUID, moment: datetime) -> bool:
    return row_id.int >> RANDOM_BITS < int(moment.timestamp() * 1_000)


def read_rows(bank: Bank, of_source: Q) -> dict[UUID, list[UnitMetadata]]:
    """The metadata of the memories that rest on the source, by memory. An echo does not rest on it."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(of_source)
    rows = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(unit__in=sources.values("unit_id"))
    found: dict[UUID, list[UnitMetadata]] = {}
    for row in rows.order_by("key", "id"):
        found.setdefault(row.unit_id, []).append(row)
    return found


def note_change(bank: Bank, unit_id: UUID, before: Sequence[UnitMetadata], after: Sequence[UnitMetadata]) -> None:
    was, is_now = ({row.key: row.value for row in rows} for rows in (before, after))
    if was != is_now:
        UnitChange.objects.for_tenant(bank.tenant_id).create(
            unit_id=unit_id,
            action=UnitChange.Action.EDITED,
            before={"metadata": was},
            after={"metadata": is_now},
            actor=ACTOR,
            reason=REASON,
        )
