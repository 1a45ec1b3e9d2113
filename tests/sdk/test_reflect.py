"""Reflect, with and without streaming."""

from collections.abc import Iterator

import httpx
import pytest

from memoryplatform_client import (
    APIError,
    BankNotFound,
    Cited,
    ConnectionFailed,
    Delta,
    Done,
    MemoriesFound,
    MemoryClient,
    ModelFailed,
    ModelTimedOut,
    OpinionsFormed,
    ServerError,
    Started,
    Unavailable,
    UnreadableAnswer,
)
from tests.sdk.scripted import Scripted, make_client, refuse

QUESTION = "Where does Alice live?"


@pytest.fixture
def told(client: MemoryClient) -> MemoryClient:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon.", "entities": ["Alice"]}])
    return client


def test_an_answer_cites_its_memories(told: MemoryClient) -> None:
    answer = told.reflect("support", QUESTION, budget="low", max_tokens=200, form_opinions=False)
    assert "Lisbon" in answer.text
    assert answer.engine == "builtin"
    assert answer.based_on is not None
    assert [one.text for one in answer.based_on.memories] == ["Alice lives in Lisbon."]
    assert answer.citations[0].memory_id == answer.based_on.memories[0].id


def test_a_stream_ends_with_the_complete_answer(told: MemoryClient) -> None:
    events = list(told.stream_reflect("support", QUESTION, include={"tool_calls": None}))
    assert [type(event) for event in events] == [Started, MemoriesFound, Delta, Cited, OpinionsFormed, Done]
    done = events[-1]
    assert isinstance(done, Done)
    assert "".join(event.text for event in events if isinstance(event, Delta)).strip() == done.text
    assert done.trace is None


def test_a_stream_may_be_left_in_the_middle(told: MemoryClient) -> None:
    events = told.stream_reflect("support", QUESTION)
    assert isinstance(next(events), Started)
    events.close()
    assert told.banks.get("support")


def test_an_error_before_the_stream_is_the_usual_one(client: MemoryClient) -> None:
    with pytest.raises(BankNotFound):
        next(client.stream_reflect("nowhere", QUESTION))


def serve(*lines: str) -> MemoryClient:
    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text="\n".join(lines), headers={"Content-Type": "text/event-stream"})

    return make_client(httpx.MockTransport(answer))


def texts(client: MemoryClient) -> Iterator[str]:
    return (event.text for event in client.stream_reflect("b", QUESTION) if isinstance(event, Delta))


def test_comments_and_events_of_a_newer_service_are_passed_over() -> None:
    lines = [": still working", "", "event: mood", 'data: {"a": 1}', "", "event: delta", 'data: {"text":', 'data: "x"}']
    stream = texts(serve(*lines, "", ""))
    assert next(stream) == "x"


@pytest.mark.parametrize(
    ("code", "kind", "status"),
    [
        ("model_unavailable", Unavailable, 503),
        ("unavailable", Unavailable, 503),
        ("model_failed", ModelFailed, 502),
        ("model_timeout", ModelTimedOut, 504),
        ("bank_not_found", BankNotFound, 404),
        ("internal_error", ServerError, 500),
        ("something_newer", ServerError, 500),
    ],
)
def test_an_error_within_the_stream_is_the_one_that_it_would_have_been_before(
    code: str, kind: type[APIError], status: int
) -> None:
    told = f'{{"detail": "No.", "code": "{code}", "request_id": "r-9"}}'
    with pytest.raises(kind) as refused:
        next(texts(serve("event: error", f"data: {told}", "", "")))
    assert (type(refused.value), refused.value.status_code, refused.value.code) == (kind, status, code)
    assert (refused.value.detail, refused.value.request_id) == ("No.", "r-9")


def test_an_interrupted_stream_is_not_taken_as_complete() -> None:
    with pytest.raises(ConnectionFailed, match="before the answer was complete"):
        list(texts(serve("event: delta", 'data: {"text": "Lis"}', "", "")))


def test_an_event_that_is_not_the_services_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer):
        list(texts(serve("event: delta", 'data: {"words": "Lis"}', "", "")))


def test_a_stream_is_not_asked_for_twice() -> None:
    transport = Scripted(refuse(503, "unavailable"), refuse(503, "unavailable"))
    with pytest.raises(Unavailable):
        list(texts(make_client(transport)))
    assert len(transport.requests) == 1
    with pytest.raises(ConnectionFailed):
        list(texts(make_client(Scripted(httpx.ConnectError("refused")))))
