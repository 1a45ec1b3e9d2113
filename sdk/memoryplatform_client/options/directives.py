from collections.abc import Sequence
from typing import Literal, TypedDict

from memoryplatform_client.options.lists import ListOptions


class DirectiveFields(TypedDict, total=False):
    """A directive without `tags` applies to every question."""

    priority: int
    is_active: bool
    tags: Sequence[str]


class NewDirectiveFields(DirectiveFields, total=False):
    idempotency_key: str


class DirectiveEdit(DirectiveFields, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    name: str
    content: str
    if_match: str


class ScopeFilter(ListOptions, total=False):
    """Rows within the scope of these tags. Rows without tags are always within it."""

    tags: Sequence[str]
    tags_match: Literal["any", "all", "exact"]


class DirectiveFilter(ScopeFilter, total=False):
    is_active: bool
