"""Refuses a body that is too large or too slow while it arrives. Django would wait for all of it."""

import asyncio
import json
from collections.abc import Callable

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")

BODY_SECONDS = 30.0  # for the first bytes; every further second needs LEAST_BYTES_A_SECOND
LEAST_BYTES_A_SECOND = 10_000
DRAIN_SECONDS, DRAIN_TIMES = 10.0, 4  # what is read of a refused body: so many seconds, so many times the limit

# By status.
TOO_LARGE, TOO_SLOW = 413, 408
REFUSALS = {
    TOO_LARGE: {"detail": "The body is larger than {} bytes.", "code": "body_too_large"},
    TOO_SLOW: {"detail": "The body arrives too slowly.", "code": "body_too_slow"},
}

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
        body = LimitedBody(receive, max_bytes=self.max_bytes)
        if read_content_length(scope) > self.max_bytes:
            body.fault = TOO_LARGE
        else:
            await self.app(scope, body.receive, send)
        if body.fault:
            await self.refuse(scope, receive, send, body.fault)

    async def refuse(self, scope: Scope, receive: Receive, send: Send, status: int) -> None:
        request_id = str(uuid7())
        log.info("request", request_id=request_id, status=status)
        error = REFUSALS[status] | {"request_id": request_id}
        error["detail"] = error["detail"].format(self.max_bytes)
        body = json.dumps(self.shape_error(get_path(scope), error)).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})
        if status == TOO_LARGE:
            await self.drain(receive)
        await send({"type": "http.response.body", "body": b""})

    async def drain(self, receive: Receive) -> None:
        """Read on before the connection is closed: a client that still sends would get a reset, not the answer."""
        left = self.max_bytes * DRAIN_TIMES
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            return


class LimitedBody:
    """Past a limit it reports a disconnect, so that the application cleans up as if the client had left."""

    def __init__(self, receive: Receive, *, max_bytes: int) -> None:
        self._receive = receive
        self._max_bytes = max_bytes
        self._received = 0
        self._is_complete = False
        self._started = asyncio.get_running_loop().time()
        self.fault: int | None = None  # the status of the refusal

    async def receive(self) -> Message:
        """After the body the application waits for the client to leave, however long the answer takes."""
        if self._is_complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._started + BODY_SECONDS + self._received / LEAST_BYTES_A_SECOND):
                message = await self._receive()
        except TimeoutError:
            self.fault = TOO_SLOW
            return {"type": "http.disconnect"}
        self._received += len(message.get("body", b""))
        self._is_complete = not message.get("more_body", False)
        if self._received > self._max_bytes:
            self.fault = TOO_LARGE
            return {"type": "http.disconnect"}
        return message


def get_path(scope: Scope) -> str:
    """The path below the address that a proxy serves the application under."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def read_content_length(scope: Scope) -> int:
    value = dict(scope["headers"]).get(b"content-length", b"0")
    return int(value) if value.isdigit() else 0
