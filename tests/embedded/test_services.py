import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from memoryplatform.embedded.console import Console
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import DataFolder
from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.processes import Processes
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.embedded.services import ExternalServices, login_url, start_services
from tenants.roles import Login


@pytest.fixture(scope="module")
def postgres(shared_place: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(shared_place / "postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def redis_server(shared_place: Path) -> Iterator[EmbeddedRedis]:
    server = EmbeddedRedis(shared_place / "redis")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def folder(place: Path) -> DataFolder:
    folder = DataFolder(place / "data")
    folder.prepare()
    return folder


def refuse(external: ExternalServices, folder: DataFolder) -> str:
    with Processes() as processes, pytest.raises(StartError) as caught:
        start_services(folder, external, processes, Console(io.StringIO()))
    return str(caught.value)


def who(url: str) -> tuple[str, str]:
    with psycopg.connect(url) as connection:
        return connection.info.user, connection.info.dbname


def test_embedded_services_come_with_three_roles_in_one_database(folder: DataFolder) -> None:
    out = io.StringIO()
    with Processes() as processes:
        services = start_services(folder, ExternalServices(), processes, Console(out))
        users = [who(url) for url in (services[f"DATABASE_{name}URL"] for name in ("", "OWNER_", "PLATFORM_"))]

    assert users == [(f"memoryplatform_{role}_login", "memoryplatform") for role in ("service", "owner", "platform")]
    assert services["REDIS_URL"].startswith("unix://")
    assert out.getvalue() == ""


def test_named_services_are_used_instead_and_said_so_without_the_password(
    folder: DataFolder, postgres: EmbeddedPostgres, redis_server: EmbeddedRedis
) -> None:
    out = io.StringIO()
    setup_url = postgres.superuser_url("elsewhere")
    password = str(conninfo_to_dict(setup_url)["password"])
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE elsewhere")

    external = ExternalServices(database_url=setup_url, redis_url=redis_server.url)
    with Processes() as processes:
        first = start_services(folder, external, processes, Console(out))
        again = start_services(folder, external, processes, Console(out))

    assert first == again
    assert first["REDIS_URL"] == redis_server.url
    assert who(first["DATABASE_URL"]) == ("elsewhere_service_login", "elsewhere")
    assert "using" in out.getvalue()
    assert "/elsewhere instead of the embedded one" in out.getvalue()
    assert password not in out.getvalue()
    assert not folder.postgres.exists()
    assert not folder.redis.exists()


def test_three_given_logins_are_used_as_they_are(
    folder: DataFolder, postgres: EmbeddedPostgres, redis_server: EmbeddedRedis
) -> None:
    url = postgres.superuser_url("postgres")
    external = ExternalServices(database_url=url, owner_url=f"{url}&a", platform_url=url, redis_url=redis_server.url)
    assert refuse(external, folder).startswith("DATABASE_OWNER_URL can't be used: ")

    with Processes() as processes:
        services = start_services(
            folder,
            ExternalServices(database_url=url, owner_url=url, platform_url=url, redis_url=redis_server.url),
            processes,
            Console(io.StringIO()),
        )
    assert services == {
        "DATABASE_URL": url,
        "DATABASE_OWNER_URL": url,
        "DATABASE_PLATFORM_URL": url,
        "REDIS_URL": redis_server.url,
    }


@pytest.mark.parametrize(
    ("external", "sentence"),
    [
        (ExternalServices(database_url="postgresql://u:geheim@127.0.0.1:1/x"), "The database can't be reached: "),
        (ExternalServices(database_url="postgresql://u:geheim@127.0.0.1:1"), "DATABASE_URL names no database"),
        (ExternalServices(database_url="mysql://u:geheim@h/x"), "DATABASE_URL is not a Postgres URL"),
        (ExternalServices("postgresql://h/x", owner_url="postgresql://h/x"), "Set both DATABASE_OWNER_URL and"),
        (
            ExternalServices(None, "postgresql://h/x", "postgresql://h/x"),
            "DATABASE_OWNER_URL and DATABASE_PLATFORM_URL are set",
        ),
    ],
)
def test_a_database_that_cannot_be_used_is_one_sentence_without_the_password(
    folder: DataFolder, redis_server: EmbeddedRedis, external: ExternalServices, sentence: str
) -> None:
    said = refuse(replace(external, redis_url=redis_server.url), folder)

    assert said.startswith(sentence)
    assert "\n" not in said
    assert "geheim" not in said


@pytest.mark.parametrize("url", ["redis://:geheim@127.0.0.1:1/0", "http://:geheim@h", "unix:///nowhere/redis.sock"])
def test_a_redis_that_cannot_be_used_is_one_sentence_without_the_password(
    folder: DataFolder, postgres: EmbeddedPostgres, url: str
) -> None:
    setup_url = postgres.superuser_url("postgres")
    said = refuse(ExternalServices(setup_url, setup_url, setup_url, redis_url=url), folder)

    assert said.startswith("REDIS_URL can't be used: ")
    assert "\n" not in said
    assert "geheim" not in said


def test_everything_else_that_the_url_says_stays() -> None:
    url = login_url(
        "postgresql://admin:old@one,two:5433/main?sslmode=require&password=old", Login("a b", "p@/?"), "main"
    )

    assert conninfo_to_dict(url) == {
        "user": "a b",
        "password": "p@/?",
        "dbname": "main",
        "host": "one,two",
        "port": ",5433",
        "sslmode": "require",
    }
