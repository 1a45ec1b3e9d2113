"""Pages of other origins: those that the setting names may call the API and MCP, with a key but never with cookies."""

from django.conf import settings

from memoryplatform.server.body_limit import App, Message, Receive, Send

PATHS = ("/v1/", "/v2/", "/v3/", "/api/", "/mcp", "/version", "/health")
METHODS = b"GET, POST, PUT, PATCH, DELETE, OPTIONS"
EXPOSED = (
    b"ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-ID, Idempotency-Replayed, "
    b"WWW-Authenticate"
)
PREFLIGHT_SECONDS = b"3600"


class Cors:
    """Off where no origin is named: then answers are as they were, and a browser keeps them from other pages."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not settings.CORS_ALLOWED_ORIGINS or not is_api(scope):
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        origin = headers.get(b"origin")
        granted = grant(origin) if origin is not None else []
        if granted and scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
            await answer_preflight(send, granted, headers.get(b"access-control-request-headers", b""))
        else:
            await self.app(scope, receive, Granting(send, granted))


class Granting:
    def __init__(self, send: Send, granted: list[tuple[bytes, bytes]]) -> None:
        self._send = send
        self._granted = granted

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            exposed = [(b"access-control-expose-headers", EXPOSED)] if self._granted else []
            added = [(b"vary", b"Origin"), *self._granted, *exposed]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)


def is_api(scope: Message) -> bool:
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path.startswith(PATHS)


def grant(origin: bytes) -> list[tuple[bytes, bytes]]:
    """What tells the browser that the page may read the answer; nothing where it may not."""
    allowed = settings.CORS_ALLOWED_ORIGINS
    if "*" in allowed:
        return [(b"access-control-allow-origin", b"*")]
    return [(b"access-control-allow-origin", origin)] if origin.decode("latin-1") in allowed else []


async def answer_preflight(send: Send, granted: list[tuple[bytes, bytes]], asked: bytes) -> None:
    """Whatever headers are asked for: clients send their own, and none of ours is a secret of the browser's."""
    headers = [
        *granted,
        (b"access-control-allow-methods", METHODS),
        (b"access-control-allow-headers", asked or b"Authorization, Content-Type"),
        (b"access-control-max-age", PREFLIGHT_SECONDS),
        (b"vary", b"Origin, Access-Control-Request-Headers"),
        (b"content-length", b"0"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
