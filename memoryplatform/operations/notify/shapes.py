"""In which words an address is told. Ours stand here; an adapter for another product's clients adds its own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from tenants.models import Delivery, Webhook

PLATFORM = "platform"


@dataclass(frozen=True)
class Message:
    """One request. `headers` and `query` go with it besides ours."""

    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    method: str = "POST"


def encode(body: Any) -> bytes:
    """As it is sent, and as it is signed."""
    return orjson.dumps(body, option=orjson.OPT_UTC_Z)


# Called outside of any transaction, and once more for every attempt: what it looks up, it looks up itself. Most shapes
# make one message; none where there is nothing to tell. Of several, those that arrived are not sent again: a delivery
# always makes the same number of them in the same order.
Shape = Callable[[Webhook, Delivery], list[Message]]

_shapes: dict[str, Shape] = {}


def add_shape(name: str, shape: Shape) -> None:
    """Call where a process starts, such as in a module of `operations/kinds`."""
    _shapes[name] = shape


def find_shape(name: str) -> Shape | None:
    return _shapes.get(name)


def tell_plainly(_webhook: Webhook, delivery: Delivery) -> list[Message]:
    body = {
        "id": str(delivery.event_id),
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "bank_id": delivery.bank_id or None,
        "data": delivery.data,
    }
    return [Message(body)]


add_shape(PLATFORM, tell_plainly)
