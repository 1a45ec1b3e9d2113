"""Refuses bodies over the limit while they arrive: Django would read all of one before it looked."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import structlog

from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]  # every framework types the three a little differently
Shape = Callable[[str, dict[str, str]], dict[str, str]]


class BodyLimit:
    """`shape` makes of a path and an error of ours what is told there."""

    def __init__(self, app: App, *, max_bytes: int, shape: Shape = lambda _, error: error) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.shape = shape

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = CountedBody(receive, max_bytes=self.max_bytes)
        body.is_too_large = declared_length(scope) > self.max_bytes
        if not body.is_too_large:
            await self.app(scope, body.receive, send)
        if body.is_too_large:
            await self.refuse(scope, send)

    async def refuse(self, scope: Message, send: Send) -> None:
        request_id, path = str(uuid7()), scope["path"].removeprefix(scope.get("root_path", ""))
        log.info("request", request_id=request_id, status=413)
        detail = f"The body is larger than {self.max_bytes} bytes."
        error = {"detail": detail, "code": "body_too_large", "request_id": request_id}
        headers = [
            (b"content-type", b"application/json"),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
        ]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(self.shape(path, error)).encode()})


class CountedBody:
    """Past the limit it looks to the application as if the client had gone, so that it cleans up after itself."""

    def __init__(self, receive: Receive, *, max_bytes: int) -> None:
        self._receive = receive
        self._left = max_bytes
        self.is_too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.is_too_large = True
            return {"type": "http.disconnect"}
        return message


def declared_length(scope: Message) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0
