"""The pool hands out no connection that the server has closed."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from memoryplatform.embedded.postgres import EmbeddedPostgres

IN_POOL = 5
END = "SELECT count(*) FROM unnest(%s::int[]) AS backend WHERE pg_terminate_backend(backend, 5000)"


@pytest.fixture
def backends() -> list[int]:
    """The process ids of the pool's connections."""
    return []


@pytest.fixture
def pool(committed_db: None, backends: list[int]) -> Iterator[ConnectionPool]:
    """A separate pool, full of idle connections."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # of the Postgres backend
    together = threading.Barrier(IN_POOL)

    def use_one() -> None:
        backends.append(ask())
        together.wait(timeout=30)
        connection.close()

    threads = [threading.Thread(target=use_one) for _ in range(IN_POOL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield connection.pool  # type: ignore[attr-defined]
    connection.close()


def ask() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def test_no_request_fails_on_a_connection_that_the_server_closed(
    pool: ConnectionPool, backends: list[int], postgres: EmbeddedPostgres
) -> None:
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as superuser:
        assert superuser.execute(END, [backends]).fetchone() == (IN_POOL,)
    for _ in range(2 * IN_POOL):
        ask()
        connection.close()
    stats = pool.get_stats()
    assert stats["connections_lost"] == IN_POOL
    assert "requests_errors" not in stats


def test_a_connection_with_unread_data_is_kept(pool: ConnectionPool, postgres: EmbeddedPostgres) -> None:
    with connection.cursor() as cursor:
        cursor.execute("LISTEN news")
    told = ask()
    connection.close()
    with psycopg.connect(postgres.superuser_url("memoryplatform"), autocommit=True) as superuser:
        superuser.execute("NOTIFY news")
    asked = []
    for _ in range(3 * IN_POOL):
        asked.append(ask())
        connection.close()
    assert told in asked[IN_POOL:]
    assert "connections_lost" not in pool.get_stats()
