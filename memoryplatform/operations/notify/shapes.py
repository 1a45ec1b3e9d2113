"""The shapes of webhook messages: the platform's own, Hindsight's and mem0's.

Headers and parameters in the options of a webhook that Hindsight's client made may be credentials, so they are sealed.
"""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson

from banks.models import MemoryUnit
from memoryplatform.operations.idempotency import name_operation
from memoryplatform.operations.models import Operation
from tenants.models import Delivery, Webhook
from tenants.sealed_text import SealedText, seal, unseal
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import PING

PLATFORM = "platform"


@dataclass(frozen=True)
class Message:
    """One request. `headers` and `query` are sent beside ours."""

    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    method: str = "POST"


def encode(body: Any) -> bytes:
    """The bytes that are sent and signed."""
    return orjson.dumps(body, option=orjson.OPT_UTC_Z)


def build_platform_messages(_webhook: Webhook, delivery: Delivery) -> list[Message]:
    body = {
        "id": str(delivery.event_id),
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "bank_id": delivery.bank_id or None,
        "data": delivery.data,
    }
    return [Message(body)]


HINDSIGHT = "hindsight"
# Hindsight's names and ours. Hindsight has one more, for a filter on secrets that this service does not have.
HINDSIGHT_EVENTS = {"retain.completed": "memories.retained", "consolidation.completed": "memories.consolidated"}
OURS = {ours: theirs for theirs, ours in HINDSIGHT_EVENTS.items()}
CONFIG, SEALED = "http_config", "sealed"
UNSEALED = ("method", "timeout_seconds")


def build_hindsight_messages(webhook: Webhook, delivery: Delivery) -> list[Message]:
    name = OURS.get(delivery.event, delivery.event)
    if delivery.event not in {*OURS, PING}:
        return []
    body = build_hindsight_body(delivery, name)
    config = read_config(webhook.options) or HttpConfig()
    headers = config.headers | {"X-Hindsight-Event": name}
    if webhook.options.get("has_secret"):
        digest = hmac.new(webhook.secret.encode(), encode(body), hashlib.sha256).hexdigest()
        headers["X-Hindsight-Signature"] = f"sha256={digest}"
    return [Message(body, headers, config.params, config.method)]


def build_hindsight_body(delivery: Delivery, name: str) -> dict[str, Any]:
    count = delivery.data.get("memory_count")
    return {
        "event": name,
        "bank_id": delivery.bank_id,
        "operation_id": find_operation_name(delivery),
        "status": "completed",
        "timestamp": delivery.created_at.isoformat(),
        "data": {} if count is None else {"memory_unit_count": count, "memory_unit_ids": delivery.data["memory_ids"]},
    }


def find_operation_name(delivery: Delivery) -> str | None:
    """The caller's own name for the operation if there is one, else its id."""
    operation_id: str | None = delivery.data.get("operation_id")
    if operation_id is None:
        return None
    with tenant_transaction(delivery.tenant_id):
        operation = Operation.objects.for_tenant(delivery.tenant_id).filter(id=operation_id).first()
    return str(name_operation(operation)) if operation else operation_id


@dataclass(frozen=True)
class HttpConfig:
    method: str = "POST"
    timeout_seconds: int = 30
    headers: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)


def write_options(config: HttpConfig, *, has_secret: bool) -> dict[str, Any]:
    fields = asdict(config)
    shown = {name: fields.pop(name) for name in UNSEALED}
    return {"has_secret": has_secret, CONFIG: shown | {SEALED: seal(json.dumps(fields))}}


def read_config(options: dict[str, Any]) -> HttpConfig | None:
    """None if no key of ours opens the sealed part. Options from before the seal are read as they are."""
    stored = dict(options.get(CONFIG, {}))
    opened = unseal(stored.pop(SEALED, "{}"))
    return None if isinstance(opened, SealedText) else HttpConfig(**stored | json.loads(opened))


def drop_credentials(options: dict[str, Any]) -> dict[str, Any]:
    """The options without header and parameter values: they are for the host that the webhook had so far."""
    if CONFIG not in options:
        return options
    config = replace(read_config(options) or HttpConfig(), headers={}, params={})
    return options | write_options(config, has_secret=bool(options.get("has_secret")))


MEM0 = "memory_events"
BANK_PREFIX = "bank_prefix"  # the option that limits a webhook to banks by the beginning of their ids
MEM0_EVENTS = {
    "memories.retained": "ADD",
    "memory.edited": "UPDATE",
    "memory.deleted": "DELETE",
    "memories.deleted": "DELETE",
}


def build_mem0_messages(webhook: Webhook, delivery: Delivery) -> list[Message]:
    """The text is read at the time of sending, and is null for a memory that was deleted meanwhile."""
    if delivery.event not in MEM0_EVENTS or not delivery.bank_id.startswith(webhook.options.get(BANK_PREFIX, "")):
        return []
    ids = list_ids(delivery.data)
    with tenant_transaction(delivery.tenant_id):
        units = MemoryUnit.objects.for_tenant(delivery.tenant_id).filter(id__in=ids, bank__bank_id=delivery.bank_id)
        texts = {str(memory_id): text for memory_id, text in units.read_rendered_texts().items()}
    event = MEM0_EVENTS[delivery.event]
    details = [{"id": one, "data": {"memory": texts.get(one)}, "event": event} for one in ids]
    return [Message({"event_details": one}) for one in details]


def list_ids(data: dict[str, Any]) -> list[str]:
    """Empty for a deletion by a filter, whose event may name no ids."""
    return [data["memory_id"]] if "memory_id" in data else list(data.get("memory_ids", ()))


# Called outside of any transaction, once for every attempt. Most shapes make one message, or none for an event that
# they don't know. A delivery makes the same messages in the same order each time: a retry skips those that arrived.
SHAPES: dict[str, Callable[[Webhook, Delivery], list[Message]]] = {
    PLATFORM: build_platform_messages,
    HINDSIGHT: build_hindsight_messages,
    MEM0: build_mem0_messages,
}
