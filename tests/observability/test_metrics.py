from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.observability import health
from memoryplatform.operations.running.submit import submit
from providers import registry
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant

pytestmark = pytest.mark.django_db
TOKEN = "let-me-in"


@pytest.fixture(autouse=True)
def token(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


def scrape() -> dict[str, float]:
    text = Client().get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def test_requests_are_counted_by_route_not_by_path() -> None:
    name = 'memoryplatform_requests_total{method="GET",route="/v1/banks/<str:bank_id>",status="401"}'
    before = scrape().get(name, 0.0)
    Client().get("/v1/banks/the-callers-own-name")
    after = scrape()
    assert after[name] == before + 1
    assert not any("the-callers-own-name" in line for line in after)


def test_operations_queues_and_providers_are_counted(redis_server: EmbeddedRedis) -> None:
    tenant = make_tenant()
    before = scrape()
    with tenant_transaction(tenant.id):
        submit(tenant.id, "delete_bank", payload={"bank_pk": str(tenant.id), "bank_id": "x"})
    registry.get_embedder().embed_query("hello")
    after = scrape()

    def grown(name: str) -> float:
        return after[name] - before.get(name, 0.0)

    assert grown('memoryplatform_operations_total{kind="delete_bank",status="pending"}') == 1
    assert grown('memoryplatform_queue_depth{queue="background"}') == 1
    assert after['memoryplatform_queue_age_seconds{queue="background"}'] >= 0
    assert after['memoryplatform_queue_depth{queue="ingest"}'] == 0
    assert grown('memoryplatform_provider_calls_total{kind="embed_query",outcome="ok",provider="onnx"}') == 1
    assert grown('memoryplatform_provider_tokens_total{direction="input",provider="onnx"}') > 0


def test_without_a_database_the_queues_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_away() -> str:
        raise OperationalError("connection to 10.0.0.1 failed")

    monkeypatch.setattr(health, "check_database", is_away)
    after = scrape()
    assert 'memoryplatform_requests_total{method="GET",route="/metrics",status="200"}' in after
    assert not any("queue_depth" in name for name in after)


def test_the_metrics_need_the_token() -> None:
    assert scrape()
    for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
        assert Client().get("/metrics", headers=given).status_code == 401


@pytest.mark.parametrize("none", [None, ""])
def test_without_a_token_the_metrics_are_closed(settings: Any, none: str | None) -> None:
    settings.METRICS_TOKEN = none
    for given in ("", "Bearer ", "Bearer None"):
        assert Client().get("/metrics", headers={"Authorization": given}).status_code == 401
