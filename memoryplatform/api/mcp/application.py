"""MCP over streamable HTTP, without sessions: any process of the service can answer any request."""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter

import structlog
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memoryplatform.api.json_format import FastJSONRenderer
from memoryplatform.api.mcp.authenticate import authenticate, build_refusal, name_route, open_request
from memoryplatform.api.mcp.server import CALLER, build_server
from memoryplatform.api.mcp.threads import AUTHENTICATION_THREADS, run_in_thread
from memoryplatform.api.throttling import write_rate_headers
from memoryplatform.observability.metrics import observe_request
from memoryplatform.observability.middleware import SAFE_ID
from memoryplatform.server.body_limit import BodyLimit, get_path
from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")


async def read_body(receive: Receive) -> bytes | None:
    """Reads the whole body before MCP starts. None if the client disconnected or the size limit cut it off."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def replay(body: bytes, receive: Receive) -> Receive:
    """Delivers the body once, then the client's later messages, such as its disconnect."""
    left: deque[Message] = deque([{"type": "http.request", "body": body, "more_body": False}])

    async def receive_again() -> Message:
        return left.popleft() if left else await receive()

    return receive_again


class NotRunning(APIException):
    status_code = 503
    default_detail = "MCP is not running."
    default_code = "unavailable"


class McpApplication:
    def __init__(self) -> None:
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Runs MCP for the lifetime of the process."""
        manager = StreamableHTTPSessionManager(
            build_server(), stateless=True, max_request_body_size=settings.MAX_BODY_BYTES
        )
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        started = perf_counter()
        reply = Reply(send, read_request_id(scope))
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=reply.request_id)
        request = open_request(scope, reply.request_id)
        try:
            await self.answer(request, receive, reply)
        finally:
            log_request(request, reply.status, perf_counter() - started)

    async def answer(self, request: ASGIRequest, receive: Receive, reply: "Reply") -> None:
        try:
            caller = await run_in_thread(AUTHENTICATION_THREADS, partial(authenticate, request))
            manager = self.get_manager()
            reply.headers = write_rate_headers(request)
        except Exception as error:  # noqa: BLE001  # the API's handler logs what is not expected
            reply.headers = write_rate_headers(request)
            await reply.render(build_refusal(error, request))
            return
        structlog.contextvars.bind_contextvars(tenant_id=str(caller.identity.tenant_id))
        body = await read_body(receive)
        if body is not None:
            await manager.handle_request({**request.scope, CALLER: caller}, replay(body, receive), reply.send)

    def get_manager(self) -> StreamableHTTPSessionManager:
        if self._manager is None:
            raise NotRunning
        return self._manager


class Reply:
    """Adds our headers to the response and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.headers: dict[str, str] = {}
        self.status = 499  # nginx's status for a client that disconnected before the response

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])  # the MCP library sends an enum member
            own = {"x-request-id": self.request_id, **self.headers}
            encoded = [(name.lower().encode(), value.encode()) for name, value in own.items()]
            headers = [*message.get("headers", ()), *encoded]
            message = {**message, "headers": headers}
        await self._send(message)

    async def render(self, response: Response) -> None:
        body = FastJSONRenderer().render(response.data)
        headers = {**response.headers, "Content-Type": FastJSONRenderer.media_type, "Content-Length": str(len(body))}
        encoded = [(name.lower().encode(), str(value).encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": response.status_code, "headers": encoded})
        await self.send({"type": "http.response.body", "body": body})


def read_request_id(scope: Message) -> str:
    given: str = dict(scope["headers"]).get(b"x-request-id", b"").decode("latin-1")
    return given if SAFE_ID.fullmatch(given) else str(uuid7())


def log_request(request: ASGIRequest, status: int, seconds: float) -> None:
    route = name_route(request)
    observe_request(str(request.method), route, status, seconds)
    log.info("request", method=request.method, route=route, status=status, ms=round(seconds * 1000, 1))


class McpRoutes:
    """Sends `/mcp` and the paths below it to MCP. All else goes to `others`."""

    def __init__(self, others: ASGIApp, *, max_bytes: int) -> None:
        self.others = others
        self.mcp = McpApplication()
        self._limited_mcp = BodyLimit(self.mcp, max_bytes=max_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with self.mcp.run():
                await self.others(scope, receive, send)
        elif scope["type"] == "http" and is_mcp(scope):
            await self._limited_mcp(scope, receive, send)
        else:
            await self.others(scope, receive, send)


def is_mcp(scope: Scope) -> bool:
    path = get_path(scope)
    return path == "/mcp" or path.startswith("/mcp/")
