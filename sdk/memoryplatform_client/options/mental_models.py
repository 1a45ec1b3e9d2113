from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from memoryplatform_client.options.words import Budget, Network, TagsMatch


class TriggerFields(TypedDict, total=False):
    """When a mental model is refreshed, and from which memories. Only the given settings change."""

    mode: Literal["full", "delta"]
    refresh_after_consolidation: bool
    refresh_cron: str | None
    full_refresh_cron: str | None
    min_refresh_interval_seconds: int | None
    budget: Budget | None
    fact_types: Sequence[Network] | None
    tags_match: TagsMatch | None
    tag_groups: Sequence[Mapping[str, Any]] | None
    recall_max_tokens: int | None
    response_schema: Mapping[str, Any] | None


class MentalModelFields(TypedDict, total=False):
    """`tags` select the memories that the mental model is written from."""

    tags: Sequence[str]
    max_tokens: int
    trigger: TriggerFields


class NewMentalModelFields(MentalModelFields, total=False):
    """`id`: an id of your choice."""

    id: str
    idempotency_key: str


class MentalModelEdit(MentalModelFields, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    name: str
    source_query: str
    if_match: str
