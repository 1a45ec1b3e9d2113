"""Refuses a body over the limit while it arrives. Django would read all of it first."""

import json
from collections.abc import Callable

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")

ErrorShape = Callable[[str, dict[str, str]], dict[str, str]]


class BodyLimit:
    """`shape_error` turns our error into the form that the clients of a path know."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, shape_error: ErrorShape = lambda _, error: error) -> None:
        self.app = app
        self.max_bytes = max_bytes
        self.shape_error = shape_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = CountedBody(receive, max_bytes=self.max_bytes)
        body.is_too_large = read_content_length(scope) > self.max_bytes
        if not body.is_too_large:
            await self.app(scope, body.receive, send)
        if body.is_too_large:
            await self.refuse(scope, send)

    async def refuse(self, scope: Scope, send: Send) -> None:
        request_id = str(uuid7())
        log.info("request", request_id=request_id, status=413)
        detail = f"The body is larger than {self.max_bytes} bytes."
        error = {"detail": detail, "code": "body_too_large", "request_id": request_id}
        headers = [
            (b"content-type", b"application/json"),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
        ]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        body = json.dumps(self.shape_error(get_path(scope), error)).encode()
        await send({"type": "http.response.body", "body": body})


class CountedBody:
    """Past the limit it reports a disconnect, so that the application cleans up as if the client had left."""

    def __init__(self, receive: Receive, *, max_bytes: int) -> None:
        self._receive = receive
        self._bytes_left = max_bytes
        self.is_too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._bytes_left -= len(message.get("body", b""))
        if self._bytes_left < 0:
            self.is_too_large = True
            return {"type": "http.disconnect"}
        return message


def get_path(scope: Scope) -> str:
    """The path below the address that a proxy serves the application under."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def read_content_length(scope: Scope) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0
