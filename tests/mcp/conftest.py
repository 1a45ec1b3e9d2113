"""A web server on a free port with MCP running, on the tests' database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.conf import settings
from starlette.types import Message, Receive, Send

from memoryplatform.api.mcp.application import McpRoutes
from memoryplatform.asgi import routes
from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, use_small_models
from tests.mcp.connection import Connection, connect
from tests.retrieval.memory import Memory

Connect = Callable[..., Connection]


async def serve_others(scope: Message, receive: Receive, send: Send) -> None:
    """Replaces the service's own start, because tests need neither its models nor its writers."""
    if scope["type"] != "lifespan":
        await routes.others(scope, receive, send)
        return
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    app = McpRoutes(serve_others, max_bytes=settings.MAX_BODY_BYTES)
    with serve(app, lifespan="on") as url:
        yield url


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_models(monkeypatch)


@pytest.fixture
def alice(shared_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant()


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    return Memory(make_bank(alice, bank_id="support"))


@pytest.fixture
def connected_like_hindsight(base_url: str) -> Iterator[Connect]:
    """The same with Hindsight's tools, and headers of the connection."""
    with ExitStack() as stack:

        def make(tenant: Tenant, *, bank: str = "", headers: dict[str, str] | None = None, **fields: Any) -> Connection:
            url = f"{base_url}/mcp/{bank}/" if bank else f"{base_url}/mcp/"
            return stack.enter_context(connect(url, make_key_with_text(tenant, **fields)[1], **(headers or {})))

        yield make


@pytest.fixture
def connected(base_url: str) -> Iterator[Connect]:
    """Opens connections with a new key of a tenant that has the given fields. `bank` selects the bank's address."""
    with ExitStack() as stack:

        def make(tenant: Tenant, *, bank: str = "", mode: str = "auto", **fields: Any) -> Connection:
            url = f"{base_url}/mcp/{bank}/" if bank else f"{base_url}/mcp/"
            key = make_key_with_text(tenant, **fields)[1]
            return stack.enter_context(connect(f"{url}?tools=native", key, mode=mode))

        yield make
