from collections.abc import Sequence
from typing import TypedDict


class WebhookEdit(TypedDict, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    url: str
    events: Sequence[str]
    name: str
    enabled: bool
    if_match: str


class NewWebhookFields(TypedDict, total=False):
    """`bank_id`: only events of this bank."""

    bank_id: str
    name: str
    enabled: bool
    idempotency_key: str
