from collections.abc import Sequence
from typing import TypedDict


class WebhookFields(TypedDict, total=False):
    url: str
    events: Sequence[str]
    name: str
    enabled: bool


class NewWebhookFields(TypedDict, total=False):
    """`bank_id`: only what happens to this bank."""

    bank_id: str
    name: str
    enabled: bool
    idempotency_key: str
