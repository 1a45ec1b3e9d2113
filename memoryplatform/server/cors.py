"""Pages of the origins in CORS_ALLOWED_ORIGINS may call the API and MCP, with a key and never with cookies."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from memoryplatform.server.body_limit import get_path

API_PATHS = ("/v1/", "/v2/", "/v3/", "/api/", "/mcp", "/version", "/health", "/oauth/", "/.well-known/")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
EXPOSED_HEADERS = (
    "ETag",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "X-Request-ID",
    "Idempotency-Replayed",
    "WWW-Authenticate",
)
PREFLIGHT_SECONDS = 3600


class ApiCors:
    """Starlette's CORSMiddleware for the API's paths. The admin and the pages answer their own origin only."""

    def __init__(self, app: ASGIApp, *, origins: Sequence[str]) -> None:
        self._app = app
        self._cors = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=["*"],
            expose_headers=EXPOSED_HEADERS,
            max_age=PREFLIGHT_SECONDS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_api = scope["type"] == "http" and get_path(scope).startswith(API_PATHS)
        await (self._cors if is_api else self._app)(scope, receive, send)


def allow_origins(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    return ApiCors(app, origins=origins) if origins else app
