"""The known memories that a retain changed: ended, corrected or merged with a new fact."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, MemoryUnit, UnitChange
from banks.retain.post_retain import PostRetain

MOST_CHANGES = 100  # in the result of an operation


class ChangeKind(StrEnum):
    ENDED = "ended"
    SCHEDULED = "scheduled"
    CORRECTED = "corrected"
    MERGED = "merged"


@dataclass(frozen=True)
class MemoryChange:
    unit_id: UUID
    kind: ChangeKind
    superseded_by: str | None = None

    def write(self) -> dict[str, str | None]:
        return {"memory_id": str(self.unit_id), "change": self.kind.value, "superseded_by": self.superseded_by}


def list_changes(bank: Bank, post: PostRetain, *, since: datetime) -> list[MemoryChange]:
    """From the history of the memories, so that the changes of earlier attempts are in it. In the order of the changes.

    Memories that are newer than `since` are none: the retain itself stored them. Call inside a tenant transaction.
    """
    own = {*post.unit_ids, *post.proven_ids}
    superseded = MemoryUnit.objects.of_bank(bank).filter(superseded_by__in=own, recorded_at__lt=since)
    ended = Q(unit__in=list(superseded.values_list("id", flat=True)), action__in=ENDING)
    merged = Q(unit__in=own, action=UnitChange.Action.MERGED, after__has_key="text", unit__recorded_at__lt=since)
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(ended | merged, changed_at__gte=since)
    return [build_change(row) for row in rows.order_by("changed_at", "id")]


ENDING = (UnitChange.Action.SUPERSEDED, UnitChange.Action.SCHEDULED)


def build_change(row: UnitChange) -> MemoryChange:
    if row.action == UnitChange.Action.MERGED:
        return MemoryChange(row.unit_id, ChangeKind.MERGED)
    if row.action == UnitChange.Action.SCHEDULED:
        kind = ChangeKind.SCHEDULED
    else:
        is_correction = row.after.get("close_reason") == MemoryUnit.CloseReason.CORRECTION
        kind = ChangeKind.CORRECTED if is_correction else ChangeKind.ENDED
    return MemoryChange(row.unit_id, kind, row.after.get("superseded_by"))
