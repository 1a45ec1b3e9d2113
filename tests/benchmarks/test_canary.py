"""Tenant isolation under 16 threads that share pooled connections, with the requests of `benchmark canary`."""

from collections.abc import Iterator
from http.client import HTTPConnection
from typing import cast

import pytest
from django.db import connection
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import override_settings

from benchmarks.isolation.canary import UNLIMITED, Person, ask, hunt, make_person
from benchmarks.latency.web import serve
from tests.live_server import use_small_models

THREADS, CONNECTIONS = 16, 8


@pytest.fixture
def port(committed_db: None, redis_server: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Fewer connections than threads, so that each connection serves all tenants in turn."""
    use_small_models(monkeypatch)
    pool = cast("DatabaseWrapper", connection).pool
    usual = pool.min_size, pool.max_size
    pool.resize(1, CONNECTIONS)
    with override_settings(**UNLIMITED), serve() as port:
        yield port
    pool.resize(*usual)


def test_sixteen_threads_with_mixed_keys_see_their_own_tenant_only(port: int) -> None:
    people = [make_person(port) for _ in range(3)]
    counts = hunt(port, people, requests=320, threads=THREADS)
    assert (counts.leaks, counts.unexpected) == ([], [])
    assert sum(counts.kinds.values()) == 320
    assert counts.own_words > 100


def test_a_word_of_another_tenant_is_noticed(port: int) -> None:
    people: list[Person] = [make_person(port) for _ in range(2)]
    planted = {"items": [{"facts": [{"text": f"Ana keeps the {people[0].word} too."}]}]}
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    assert ask(client, people[1].key, "POST", "/v1/banks/support/memories", planted)[0] == 200
    client.close()
    assert hunt(port, people, requests=40, threads=4).leaks
