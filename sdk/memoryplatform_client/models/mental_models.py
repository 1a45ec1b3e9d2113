from datetime import datetime
from typing import Any
from uuid import UUID

from memoryplatform_client.models.base import Model


class Trigger(Model):
    mode: str
    refresh_after_consolidation: bool
    refresh_cron: str | None
    full_refresh_cron: str | None
    min_refresh_interval_seconds: int | None
    budget: str | None
    fact_types: list[str] | None
    tags_match: str | None
    tag_groups: list[dict[str, Any]] | None
    recall_max_tokens: int | None
    response_schema: dict[str, Any] | None


class MentalModel(Model):
    """Send `etag` with an edit: the service refuses the edit if the mental model has changed since."""

    id: str
    name: str
    source_query: str
    tags: list[str]
    max_tokens: int
    trigger: Trigger
    content: str
    revision: int
    is_stale: bool
    last_refreshed_at: datetime | None
    next_refresh_at: datetime | None
    last_memory_seen_at: datetime | None
    last_refresh_failed_at: datetime | None
    created_at: datetime
    updated_at: datetime
    etag: str = ""


class NewMentalModel(MentalModel):
    """The operation `operation_id` writes the content; `operations.wait` waits for it."""

    operation_id: UUID


class MentalModelRevision(Model):
    number: int
    source_query: str
    content: str
    structured: Any
    engine: str
    withdrawn: bool
    created_at: datetime


class MentalModelRefresh(Model):
    operation_id: UUID
