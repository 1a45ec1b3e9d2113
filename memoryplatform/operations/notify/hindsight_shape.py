"""What happens, in Hindsight's words: for webhooks that its client set up."""

import hashlib
import hmac
from typing import Any

from memoryplatform.operations.hindsight_operation_names import name_operation
from memoryplatform.operations.models import Operation
from memoryplatform.operations.notify.hindsight_options import HttpConfig, read_config
from memoryplatform.operations.notify.shapes import Message, encode
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhooks.events import PING

NAME = "hindsight"
# Its names, and ours for the same. It has one more, of a filter on secrets that this service does not have.
EVENTS = {"retain.completed": "memories.retained", "consolidation.completed": "memories.consolidated"}
OURS = {ours: theirs for theirs, ours in EVENTS.items()}


def tell_as_hindsight(webhook: Webhook, delivery: Delivery) -> list[Message]:
    name = OURS.get(delivery.event, delivery.event)
    if delivery.event not in {*OURS, PING}:
        return []
    body = describe(delivery, name)
    config = read_config(webhook.options) or HttpConfig()
    headers = config.headers | {"X-Hindsight-Event": name}
    if webhook.options.get("has_secret"):
        digest = hmac.new(webhook.secret.encode(), encode(body), hashlib.sha256).hexdigest()
        headers["X-Hindsight-Signature"] = f"sha256={digest}"
    return [Message(body, headers, config.params, config.method)]


def describe(delivery: Delivery, name: str) -> dict[str, Any]:
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
    """What the caller knows the operation by: his own name for it where he gave one."""
    operation_id: str | None = delivery.data.get("operation_id")
    if operation_id is None:
        return None
    with tenant_transaction(delivery.tenant_id):
        operation = Operation.objects.for_tenant(delivery.tenant_id).filter(id=operation_id).first()
    return str(name_operation(operation)) if operation else operation_id
