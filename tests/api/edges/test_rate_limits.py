"""Rate limits per key and per tenant; without Redis nothing is refused."""

from typing import Any

import httpx
import pytest
from pytest_django.fixtures import Settings
from structlog.testing import capture_logs

from memoryplatform.api import throttling
from memoryplatform.api.throttling import RateCounter
from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_key_with_text

AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def counter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "COUNTER", RateCounter())


def test_every_response_has_the_remaining_limit(call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 60
    first, second = call("GET", "/v1/banks"), call("GET", "/v1/banks/nowhere")
    assert (first.status_code, second.status_code) == (200, 404)
    assert [answer.headers["RateLimit-Limit"] for answer in (first, second)] == ["60", "60"]
    assert [answer.headers["RateLimit-Remaining"] for answer in (first, second)] == ["59", "58"]
    assert second.headers["RateLimit-Reset"] == "2"


def test_a_request_beyond_the_limit_gets_retry_after(call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 2
    answers = [call("GET", "/v1/banks") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    body = answers[-1].json()
    assert set(body) == {"detail", "code", "request_id"}
    assert body["code"] == "rate_limited"
    assert answers[-1].headers["Retry-After"] == "30"
    assert answers[-1].headers["RateLimit-Remaining"] == "0"


@pytest.mark.parametrize(
    "path", ["/v1/default/banks", "/v1/memories/?user_id=bob", "/v1/entities/", "/v1/operations", "/v1/ping/"]
)
def test_the_routes_of_other_clients_are_limited_too(call: Caller, settings: Settings, path: str) -> None:
    settings.RATE_LIMIT_PER_KEY = 1
    assert call("GET", path).status_code == 200
    refused = call("GET", path)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert refused.json()["detail"]


def test_mem0s_client_gets_the_header_names_that_it_reads(call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 1
    told, refused = call("GET", "/v1/ping/"), call("GET", "/v1/ping/")
    assert (told.status_code, refused.status_code) == (200, 429)
    for answer in (told, refused):
        for name in ("Limit", "Remaining", "Reset"):
            assert answer.headers[f"X-RateLimit-{name}"] == answer.headers[f"RateLimit-{name}"]
    assert "X-RateLimit-Limit" not in call("GET", "/v1/banks").headers


def test_keys_have_limits_of_their_own_and_share_that_of_their_tenant(
    alice: Tenant, charlie: Tenant, make_caller: MakeCaller, settings: Settings
) -> None:
    settings.RATE_LIMIT_PER_KEY, settings.RATE_LIMIT_PER_TENANT = 2, 3
    one, other, stranger = make_caller(alice), make_caller(alice), make_caller(charlie)
    assert [one("GET", "/v1/banks").status_code for _ in range(3)] == [200, 200, 429]
    assert [other("GET", "/v1/banks").status_code for _ in range(2)] == [200, 429]
    assert stranger("GET", "/v1/banks").status_code == 200


def test_a_refused_request_is_taken_from_neither_limit(redis_server: EmbeddedRedis) -> None:
    counter, mark = RateCounter(), uuid7().hex
    narrow, wide = {f"narrow-{mark}": 1}, {f"wide-{mark}": 100}
    for _ in range(5):
        counter.take(narrow | wide)
    left = counter.take(wide)
    assert left is not None
    assert left.remaining == 98


def test_the_bucket_fills_up_while_time_passes(redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    counter, bucket = RateCounter(), {f"filling-{uuid7().hex}": 60}
    shift = "local now = clock[1] * 1000 + clock[2] / 1000"
    for _ in range(60):
        assert not (counter.take(bucket) or pytest.fail("not counted")).wait_seconds
    monkeypatch.setattr(throttling, "TAKE", throttling.TAKE.replace(shift, f"{shift} + 10500"))
    counter._take.reset()
    later: Any = [counter.take(bucket) for _ in range(12)]
    assert [one.wait_seconds > 0 for one in later].count(False) in {10, 11}


def test_zero_is_no_limit(call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = settings.RATE_LIMIT_PER_TENANT = 0
    assert "RateLimit-Limit" not in call("GET", "/v1/banks").headers


def test_no_request_is_refused_while_redis_is_away(call: Caller, settings: Settings) -> None:
    settings.REDIS_URL, settings.RATE_LIMIT_PER_KEY = AWAY, 1
    with capture_logs() as logs:
        assert [call("GET", "/v1/banks").status_code for _ in range(3)] == [200, 200, 200]
    assert [line["event"] for line in logs].count("rate_limit.not_counted") == 1


def test_a_redis_that_came_back_is_asked_again(
    redis_server: EmbeddedRedis, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter, bucket, url = RateCounter(), {f"back-{uuid7().hex}": 5}, settings.REDIS_URL
    settings.REDIS_URL = AWAY
    assert counter.take(bucket) is None
    settings.REDIS_URL = url
    counter._take.reset()
    assert counter.take(bucket) is None
    monkeypatch.setattr(counter, "_silent_until", 0.0)
    assert counter.take(bucket) is not None


def test_health_is_never_limited(call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 1
    assert [call("GET", "/health").status_code for _ in range(3)] == [200, 200, 200]


def test_mcp_is_limited_too(acme: Tenant, base_url: str, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 1
    headers = {"Authorization": f"Bearer {make_key_with_text(acme)[1]}"}
    let_in, refused = (httpx.post(f"{base_url}/mcp/", headers=headers, timeout=30) for _ in range(2))
    assert let_in.headers["RateLimit-Remaining"] == "0"
    assert (refused.status_code, refused.json()["code"], refused.headers["Retry-After"]) == (429, "rate_limited", "60")
    assert refused.headers["RateLimit-Limit"] == "1"


def test_mcp_and_http_share_their_limits(acme: Tenant, base_url: str, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY = 1
    headers = {"Authorization": f"Bearer {make_key_with_text(acme)[1]}"}
    assert httpx.get(f"{base_url}/v1/banks", headers=headers, timeout=30).status_code == 200
    assert httpx.post(f"{base_url}/mcp/", headers=headers, timeout=30).status_code == 429
