"""The body, whole before MCP sees it: a client that leaves in the middle of it has asked for nothing."""

from collections import deque

from memoryplatform.server.body_limit import Message, Receive


async def read_body(receive: Receive) -> bytes | None:
    """None where the client left, or where the limit made it look so."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def replay(body: bytes, receive: Receive) -> Receive:
    """The body once, then what comes after it: that the client has left."""
    left: deque[Message] = deque([{"type": "http.request", "body": body, "more_body": False}])

    async def receive_again() -> Message:
        return left.popleft() if left else await receive()

    return receive_again
