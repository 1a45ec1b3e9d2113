"""Refuses bodies over the limit while they arrive: Django would read all of one before it looked."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


class TooLarge(Exception):
    pass


class BodyLimit:
    def __init__(self, app: App, *, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            if declared_length(scope) > self.max_bytes:
                raise TooLarge
            await self.app(scope, counted(receive, self.max_bytes), send)
        except TooLarge:
            await refuse(send, self.max_bytes)


def declared_length(scope: Message) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0


def counted(receive: Receive, max_bytes: int) -> Receive:
    seen = 0

    async def receive_counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > max_bytes:
            raise TooLarge
        return message

    return receive_counted


async def refuse(send: Send, max_bytes: int) -> None:
    detail = f"The body is larger than {max_bytes} bytes."
    body = json.dumps({"detail": detail, "code": "body_too_large", "request_id": ""}).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
