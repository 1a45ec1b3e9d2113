"""The start of the web process."""

from typing import Any
from unittest import mock

import psycopg
import pytest
from asgiref.sync import async_to_sync
from django.db import connection

from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.server import lifespan
from providers import registry
from tenants.roles import WallIsOpen, check_service_role


@async_to_sync
async def start_and_stop() -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    received = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> dict[str, Any]:
        return received.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    await lifespan.Lifespan(mock.AsyncMock())({"type": "lifespan"}, receive, send)
    return sent


@pytest.mark.django_db
def test_the_role_is_checked_and_the_models_are_loaded() -> None:
    with mock.patch.object(registry, "load_in_background") as warm_up:
        sent = start_and_stop()
    assert [message["type"] for message in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    warm_up.assert_called_once()


def test_the_start_checks_hold_no_connection(committed_db: None) -> None:
    with mock.patch.object(registry, "load_in_background"):
        start_and_stop()
    assert connection.connection is None


def test_a_process_whose_role_bypasses_row_level_security_does_not_start() -> None:
    fault = WallIsOpen("DATABASE_URL: the role is a superuser, so tenants would not be walled off.")
    with mock.patch.object(lifespan, "check_service_role", side_effect=fault):
        sent = start_and_stop()
    assert sent == [{"type": "lifespan.startup.failed", "message": str(fault)}]


def test_the_platforms_role_is_not_for_serving(committed_db: None) -> None:
    with pytest.raises(WallIsOpen, match="is the platform's"):
        check_service_role(using="platform")


def test_each_privilege_that_bypasses_row_level_security_is_named(
    committed_db: None, postgres: EmbeddedPostgres
) -> None:
    """Each privilege that bypasses row-level security, granted to the login in turn."""
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as superuser:
        for right, fault in {"": "owns tables", "BYPASSRLS": "bypasses", "SUPERUSER": "is a superuser"}.items():
            if right:
                superuser.execute(f"ALTER ROLE owner {right}")
            with pytest.raises(WallIsOpen, match=fault):
                check_service_role(using="owner")
        superuser.execute("ALTER ROLE owner NOSUPERUSER NOBYPASSRLS")
