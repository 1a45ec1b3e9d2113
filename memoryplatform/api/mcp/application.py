"""MCP over streamable HTTP, without sessions: any process of the service can answer any request."""

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

from memoryplatform.api.mcp.body import read_body, replay
from memoryplatform.api.mcp.door import let_in, name_route, open_request, refuse
from memoryplatform.api.mcp.server import CALLER, build_server
from memoryplatform.api.mcp.threads import DOOR, run_in_thread
from memoryplatform.api.renderers import FastJSONRenderer
from memoryplatform.api.throttles import tell_allowance
from memoryplatform.observability.metrics import observe_request
from memoryplatform.observability.middleware import SAFE_ID
from memoryplatform.server.body_limit import Message, Receive, Send
from tenants.identifiers import uuid7

log = structlog.get_logger("memoryplatform.request")


class NotRunning(APIException):
    status_code = 503
    default_detail = "MCP is not running."
    default_code = "unavailable"


class McpApplication:
    def __init__(self) -> None:
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """As long as the process serves."""
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
            note_request(request, reply.status, perf_counter() - started)

    async def answer(self, request: ASGIRequest, receive: Receive, reply: "Reply") -> None:
        try:
            caller, manager = await run_in_thread(DOOR, partial(let_in, request)), self.get_manager()
            reply.headers = tell_allowance(request)
        except Exception as error:  # noqa: BLE001  # the API's handler logs what is not expected
            reply.headers = tell_allowance(request)
            await reply.render(refuse(error, request))
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
    """Sends under the request's id, and remembers the status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.headers: dict[str, str] = {}
        self.status = 499  # what proxies write where the client left before the answer

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])  # the MCP library names its own by members of an enumeration
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


def note_request(request: ASGIRequest, status: int, seconds: float) -> None:
    route = name_route(request)
    observe_request(str(request.method), route, status, seconds)
    log.info("request", method=request.method, route=route, status=status, ms=round(seconds * 1000, 1))
