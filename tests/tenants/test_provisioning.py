"""Creating the database roles like `up` and compose, on a real server."""

from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import CommandError, call_command

from memoryplatform.embedded.postgres import EmbeddedPostgres
from tenants.roles import Login, ProvisioningError, provision

OWNER, SERVICE, PLATFORM = Login("p_owner", "o"), Login("p_service", 'it\'s "odd" %s'), Login("p_platform", "p")


@pytest.fixture
def setup_url(postgres: EmbeddedPostgres) -> Iterator[str]:
    url = postgres.superuser_url("postgres")
    yield url
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS provisioned WITH (FORCE)")


def test_provisioning_can_be_repeated_and_the_logins_work(setup_url: str, postgres: EmbeddedPostgres) -> None:
    for _ in range(2):
        provision(setup_url, database="provisioned", owner=OWNER, service=SERVICE, platform=PLATFORM)
    for login in (OWNER, SERVICE, PLATFORM):
        with psycopg.connect(postgres.url(login.name, login.password, "provisioned")) as connection:
            row = connection.execute(
                "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
            assert row == (False, False, False, False)


def test_a_changed_password_is_set(setup_url: str, postgres: EmbeddedPostgres) -> None:
    provision(setup_url, database="provisioned", owner=OWNER, service=SERVICE, platform=PLATFORM)
    changed = Login(SERVICE.name, "changed")
    provision(setup_url, database="provisioned", owner=OWNER, service=changed, platform=PLATFORM)
    psycopg.connect(postgres.url(changed.name, "changed", "provisioned")).close()


def test_a_frozen_transaction_of_the_service_is_ended_by_the_server(setup_url: str, postgres: EmbeddedPostgres) -> None:
    provision(setup_url, database="provisioned", owner=OWNER, service=SERVICE, platform=PLATFORM)
    with psycopg.connect(postgres.url(SERVICE.name, SERVICE.password, "provisioned")) as connection:
        assert connection.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("30s",)


def test_an_unreachable_server_is_one_sentence() -> None:
    with pytest.raises(ProvisioningError, match=r"^The database can't be reached: .*\.$"):
        provision("postgresql://x@127.0.0.1:1/x", database="x", owner=OWNER, service=SERVICE, platform=PLATFORM)


def test_an_account_without_the_right_is_one_sentence(setup_url: str, postgres: EmbeddedPostgres) -> None:
    provision(setup_url, database="provisioned", owner=OWNER, service=SERVICE, platform=PLATFORM)
    poor = postgres.url(PLATFORM.name, PLATFORM.password, "provisioned")
    other = Login("p_other", "x")
    with pytest.raises(ProvisioningError, match=r"^The account in the database URL may not do the set-up: .*\.$"):
        provision(poor, database="provisioned", owner=other, service=other, platform=other)


def test_the_command_needs_an_account_for_the_set_up() -> None:
    with pytest.raises(CommandError, match="DATABASE_SETUP_URL is missing"):
        call_command("provision_database")
