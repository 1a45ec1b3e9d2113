"""Reflect over HTTP as a stream, through the real server."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.db import connection, connections

from banks.models import MemoryUnit
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.server import event_stream
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.clock import holds_to_a_time
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.live_server import serve, wait_until
from tests.llm_server import Received, ScriptedLLM
from tests.reflection.reflect.answers import opinion, write
from tests.retrieval.memory import Memory

QUESTION = {"query": "Where does Alice live, Lisbon?", "stream": True}
ANSWER = write("In Lisbon [1].", opinions=[opinion("I think that Alice likes Lisbon since she moved there", [1])])
Event = tuple[str, Any]


@pytest.fixture
def alice(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("alice")


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    memory = Memory(make_bank(alice, bank_id="support", name="Nora"))
    memory.unit("Alice moved to Lisbon")
    return memory


@pytest.fixture
def client(alice: Tenant) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {make_key_with_text(alice)[1]}"}
    with serve() as url, httpx.Client(base_url=url, headers=headers, timeout=30) as client:
        yield client
    connections.close_all()


def read_events(response: httpx.Response) -> Iterator[Event]:
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def stream(client: httpx.Client, **fields: Any) -> list[Event]:
    with client.stream("POST", "/v1/banks/support/reflect", json={**QUESTION, **fields}) as response:
        assert response.headers["content-type"] == "text/event-stream"
        return list(read_events(response))


def opinions_of(memory: Memory) -> int:
    with tenant_transaction(memory.bank.tenant_id):
        return MemoryUnit.objects.of_bank(memory.bank).filter(network="opinion").count()


def streams_under_way() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("event-stream")]


def test_the_events_end_with_the_answer_of_a_plain_call(
    client: httpx.Client, memory: Memory, model: ScriptedLLM
) -> None:
    model.chat.otherwise = lambda _received: ANSWER
    events = stream(client)
    names = [name for name, _ in events]
    assert list(dict.fromkeys(names)) == ["started", "memories", "delta", "citation", "opinions", "done"]
    done = events[-1][1]
    assert "".join(data["text"] for name, data in events if name == "delta").strip() == done["text"] == "In Lisbon [1]."
    plain = client.post("/v1/banks/support/reflect", json={**QUESTION, "stream": False}).json()
    assert set(plain) == set(done)
    assert plain["text"] == done["text"]
    assert [one["outcome"] for one in done["opinions"]] == ["formed"]
    assert opinions_of(memory) == 1
    wait_until(lambda: not streams_under_way())


@holds_to_a_time
def test_words_arrive_while_the_model_still_writes(client: httpx.Client, memory: Memory, model: ScriptedLLM) -> None:
    model.chat.say_slowly(write("one two three four five six seven eight nine ten"), trickle=0.1)
    arrived: dict[str, float] = {}
    with client.stream(
        "POST", "/v1/banks/support/reflect", json={"query": "who?"}, headers={"Accept": "text/event-stream"}
    ) as response:
        for name, _ in read_events(response):
            arrived.setdefault(name, time.monotonic())
    assert arrived["done"] - arrived["delta"] > 0.5


def test_a_silent_model_does_not_make_a_silent_stream(
    client: httpx.Client, memory: Memory, model: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "SECONDS_OF_SILENCE", 0.05)
    model.chat.say_late(ANSWER, delay=0.5)
    with client.stream("POST", "/v1/banks/support/reflect", json=QUESTION) as response:
        lines = list(response.iter_lines())
    assert lines.count(": still working") > 2
    assert lines.index(": still working") < lines.index("event: delta")


def test_no_connection_to_the_database_is_held_while_the_model_works(
    client: httpx.Client, memory: Memory, model: ScriptedLLM
) -> None:
    held: list[int] = []

    def answer(_received: Received) -> str:
        held.append(count_held())
        return ANSWER

    model.chat.otherwise = answer
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # the counters of a new pool begin at zero
    stream(client)
    client.post("/v1/banks/support/reflect", json={**QUESTION, "stream": False})
    assert held == [0, 0]


def count_held() -> int:
    stats: dict[str, int] = connection.pool.get_stats()  # type: ignore[attr-defined]  # of the Postgres backend
    return stats["pool_size"] - stats["pool_available"]


def test_a_disconnect_frees_the_thread_and_the_model_and_stores_nothing(
    client: httpx.Client, memory: Memory, model: ScriptedLLM
) -> None:
    long = "A story of Lisbon [1]. " * 200
    model.chat.say_slowly(write(long, opinions=[opinion("I think that it is long as stories go", [1])]), trickle=0.02)
    with client.stream("POST", "/v1/banks/support/reflect", json=QUESTION) as response:
        next(event for event in read_events(response) if event[0] == "delta")
    wait_until(lambda: model.abandoned)
    wait_until(lambda: not streams_under_way())
    assert opinions_of(memory) == 0
    with tenant_transaction(memory.bank.tenant_id):
        spent = UsageRecord.objects.for_tenant(memory.bank.tenant_id).get(kind="reflect")
    assert spent.estimated
    assert spent.output_tokens > 0


def test_a_disconnect_during_the_models_notes_stores_nothing(
    client: httpx.Client, memory: Memory, model: ScriptedLLM
) -> None:
    noted = write("In Lisbon [1].", opinions=[opinion("I think that Alice likes Lisbon", [1], reasoning="so " * 60)])
    model.chat.say_slowly(noted, trickle=0.02)
    with client.stream("POST", "/v1/banks/support/reflect", json=QUESTION) as response:
        next(event for event in read_events(response) if event[0] == "citation")
    wait_until(lambda: model.abandoned)
    wait_until(lambda: not streams_under_way())
    assert opinions_of(memory) == 0


def test_a_model_that_breaks_off_is_an_error_event_and_the_last(
    client: httpx.Client, memory: Memory, model: ScriptedLLM
) -> None:
    model.chat.drop("stream", text=ANSWER)
    events = stream(client)
    assert events[-1][0] == "error"
    assert {"detail", "code", "request_id"} == set(events[-1][1])
    assert "done" not in dict(events)
    assert opinions_of(memory) == 0


def test_the_built_in_engine_streams_too(client: httpx.Client, memory: Memory) -> None:
    events = stream(client, query="Alice moved to Lisbon?")
    assert events[0] == ("started", {"engine": "builtin", "model": "extractive"})
    assert events[-1][1]["engine"] == "builtin"


def test_an_error_before_the_stream_has_its_status(client: httpx.Client, memory: Memory) -> None:
    response = client.post("/v1/banks/nowhere/reflect", json={"query": "who?"}, headers={"Accept": "text/event-stream"})
    assert (response.status_code, response.headers["content-type"]) == (404, "application/json")
