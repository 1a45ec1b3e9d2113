"""Which relationships of a bank a list or a search means."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Relationship
from banks.models.relationship import RelationshipQuerySet


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
    rows = Relationship.objects.of_bank(bank).defer("embedding")
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
