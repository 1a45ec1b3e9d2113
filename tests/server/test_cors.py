"""Pages of the origins in CORS_ALLOWED_ORIGINS may call the API. Other pages get no permission to read the answer."""

import asyncio
from typing import Any

import httpx
import pytest
from pytest_django.fixtures import Settings

from memoryplatform.api.mcp.application import McpRoutes
from memoryplatform.asgi import application, routes
from memoryplatform.server.cors import allow_origins

PAGE = "https://app.example.com"
PREFLIGHT = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,x-a",
}


def send(method: str, path: str, app: Any = application, **headers: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())


async def answer_plainly(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"etag", b'"1"')]})
    await send({"type": "http.response.body", "body": b"{}"})


@pytest.mark.parametrize(
    "path", ["/v1/banks", "/v2/memories/", "/v3/memories/add/", "/v1/default/banks", "/mcp/", "/mcp"]
)
def test_a_preflight_of_a_named_origin_is_allowed(path: str) -> None:
    answer = send("OPTIONS", path, allow_origins(routes, [PAGE]), **PREFLIGHT)
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert answer.headers["Access-Control-Allow-Headers"] == "authorization,x-a"
    assert "PATCH" in answer.headers["Access-Control-Allow-Methods"]
    assert "Origin" in answer.headers["Vary"]


def test_its_pages_can_read_the_answer_and_the_headers_that_clients_need() -> None:
    answer = send("GET", "/v1/banks", allow_origins(answer_plainly, [PAGE]), Origin=PAGE)
    exposed = set(answer.headers["Access-Control-Expose-Headers"].split(", "))
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert exposed >= {"ETag", "Retry-After", "RateLimit-Remaining", "X-Request-ID"}
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("allowed", [[], ["https://other.example.com"], ["https://app.example.com.evil.example"]])
@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
def test_no_other_origin_may_read_the_answer(allowed: list[str], method: str) -> None:
    answer = send(method, "/v1/banks", allow_origins(answer_plainly, allowed), **PREFLIGHT)
    assert answer.status_code == (400 if allowed and method == "OPTIONS" else 200)
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_star_allows_every_origin() -> None:
    answer = send("GET", "/v1/banks", allow_origins(answer_plainly, ["*"]), Origin="https://anywhere.example")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_the_admin_is_not_for_pages_of_other_origins() -> None:
    answer = send("GET", "/admin/", allow_origins(answer_plainly, ["*"]), Origin=PAGE)
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_caches_keep_the_answers_of_origins_apart() -> None:
    assert send("GET", "/v1/banks", allow_origins(answer_plainly, [PAGE])).headers["Vary"] == "Origin"


def test_without_the_setting_answers_carry_no_permission() -> None:
    assert allow_origins(answer_plainly, []) is answer_plainly


def test_mcp_lets_a_named_origin_in_as_far_as_its_key(settings: Settings) -> None:
    settings.CORS_ALLOWED_ORIGINS = [PAGE]
    app = McpRoutes(answer_plainly, max_bytes=1000)
    assert send("POST", "/mcp/", app, Origin=PAGE).status_code == 401
    assert send("POST", "/mcp/", app, Origin="https://other.example.com").status_code == 403
