"""What happens, in mem0's words: memories one by one, with their text, as `event_details`."""

from typing import Any

from banks.models import MemoryUnit
from memoryplatform.operations.notify.shapes import Message
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction

NAME = "memory_events"
BANKS = "bank_prefix"  # the option that limits it to banks whose ids begin so
TOLD_AS = {
    "memories.retained": "ADD",
    "memory.edited": "UPDATE",
    "memory.deleted": "DELETE",
    "memories.deleted": "DELETE",
}


def tell_memories(webhook: Webhook, delivery: Delivery) -> list[Message]:
    """The text is read when it is sent: what is deleted by then is told of without it."""
    if delivery.event not in TOLD_AS or not delivery.bank_id.startswith(webhook.options.get(BANKS, "")):
        return []
    ids = list_ids(delivery.data)
    with tenant_transaction(delivery.tenant_id):
        units = MemoryUnit.objects.for_tenant(delivery.tenant_id).filter(id__in=ids, bank__bank_id=delivery.bank_id)
        texts = {str(memory_id): text for memory_id, text in units.values_list("id", "text")}
    return [Message(describe(memory_id, texts.get(memory_id), TOLD_AS[delivery.event])) for memory_id in ids]


def list_ids(data: dict[str, Any]) -> list[str]:
    """Of a deletion by a filter it may not be told which they were."""
    return [data["memory_id"]] if "memory_id" in data else list(data.get("memory_ids", ()))


def describe(memory_id: str, text: str | None, event: str) -> dict[str, Any]:
    return {"event_details": {"id": memory_id, "data": {"memory": text}, "event": event}}
