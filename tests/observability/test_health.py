import time
from unittest import mock

import pytest
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client, override_settings

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.observability import health
from providers import registry
from tests.clock import holds_to_a_time

pytestmark = pytest.mark.django_db


def test_a_live_process_says_so_without_any_service() -> None:
    with mock.patch.object(health, "check_database", side_effect=AssertionError):
        response = Client().get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "database": "disconnected"})
    assert Client().get("/health").json() == {"status": "ok", "database": "connected"}


@holds_to_a_time
def test_a_ready_service_shows_every_part(redis_server: EmbeddedRedis) -> None:
    registry.warm_up()
    response = Client().get("/health/ready")
    assert response.status_code == 200
    parts = {"database": "ok", "broker": "ok", "migrations": "ok", "models": "ok"}
    assert response.json() == {"status": "ok", "parts": parts}


def test_models_that_are_not_loaded_yet_are_named(redis_server: EmbeddedRedis) -> None:
    registry.reset()
    response = Client().get("/health/ready")
    assert response.status_code == 503
    assert response.json()["parts"]["models"] == "embedding not loaded, reranking not loaded"


def test_a_part_that_is_away_is_named_and_nothing_more() -> None:
    error = OperationalError("connection to db.internal:5432 as service with password hunter2 failed")
    with mock.patch.dict(health.CHECKS, {"database": mock.Mock(side_effect=error)}):
        response = Client().get("/health/ready")
    assert response.status_code == 503
    assert response.json()["parts"]["database"] == "unreachable"
    assert "hunter2" not in response.content.decode()


@override_settings(REDIS_URL="redis://127.0.0.1:1/0")
def test_a_broker_that_is_away_is_found() -> None:
    assert Client().get("/health/ready").json()["parts"]["broker"] == "unreachable"


def hang() -> str:
    time.sleep(4)
    return "ok"


@holds_to_a_time
def test_a_part_that_hangs_is_named_in_time() -> None:
    with mock.patch.dict(health.CHECKS, {"database": hang}):
        started = time.monotonic()
        response = Client().get("/health/ready")
    assert time.monotonic() - started < 3.5
    assert (response.status_code, response.json()["parts"]["database"]) == (503, "no answer")


def test_probes_are_answered_whatever_host_they_name() -> None:
    client = Client(headers={"Host": "10.0.0.7:8000"})
    assert client.get("/health").status_code == 200
    assert client.get("/metrics").status_code == 401  # closed without its token, whatever host it names
    assert client.get("/v1/banks").status_code == 400


def test_migrations_that_are_not_applied_are_counted() -> None:
    plan = mock.patch.object(MigrationExecutor, "migration_plan", return_value=[1, 2])
    with mock.patch.object(health, "migrated", new=False), plan:
        assert Client().get("/health/ready").json()["parts"]["migrations"] == "2 not applied"
