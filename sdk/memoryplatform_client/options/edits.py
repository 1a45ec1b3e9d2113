from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypedDict
from uuid import UUID

from memoryplatform_client.options.words import EntityKind


class MemoryEdit(TypedDict, total=False):
    """The given fields change; None clears a date. `if_match` is the `etag` that was read."""

    text: str
    fact_type: Literal["world", "experience"]
    context: str
    occurred_start: datetime | None
    occurred_end: datetime | None
    mentioned_at: datetime
    importance: float
    confidence: float
    tags: Sequence[str]
    metadata: Mapping[str, str]
    reason: str
    if_match: str


class Invalidation(TypedDict, total=False):
    """`reason`: it is no longer true (update) or never was (correction). `if_match` is the `etag` that was read."""

    reason: Literal["update", "correction"]
    valid_until: datetime | None
    explanation: str
    if_match: str
    idempotency_key: str


class EntityChange(TypedDict, total=False):
    canonical_name: str
    kind: EntityKind


class EntityEdit(EntityChange, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    if_match: str


class EntitySplit(EntityChange, total=False):
    """The mentions under these names, and the mentions in these memories, move to the new entity."""

    names: Sequence[str]
    unit_ids: Sequence[UUID | str]
    idempotency_key: str


class OpinionReview(TypedDict, total=False):
    """`text` and `confidence` belong to the action `edit`."""

    text: str
    confidence: float
    if_match: str
    idempotency_key: str


class Mark(TypedDict, total=False):
    comment: str
    idempotency_key: str
