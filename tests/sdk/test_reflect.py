"""Answers out of memory, whole and as they are made."""

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
    OpinionsFormed,
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


def test_an_answer_cites_what_it_rests_on(told: MemoryClient) -> None:
    answer = told.reflect("support", QUESTION, budget="low", max_tokens=200, form_opinions=False)
    assert "Lisbon" in answer.text
    assert answer.engine == "builtin"
    assert answer.based_on is not None
    assert [one.text for one in answer.based_on.memories] == ["Alice lives in Lisbon."]
    assert answer.citations[0].memory_id == answer.based_on.memories[0].id


def test_a_stream_ends_with_the_whole(told: MemoryClient) -> None:
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


def test_a_stream_that_breaks_off_does_not_pass_for_a_whole_answer() -> None:
    with pytest.raises(ConnectionFailed, match="before its answer was complete"):
        list(texts(serve("event: delta", 'data: {"text": "Lis"}', "", "")))


def test_an_event_that_is_not_the_services_is_unreadable() -> None:
    with pytest.raises(UnreadableAnswer):
        list(texts(serve("event: delta", 'data: {"words": "Lis"}', "", "")))


def test_an_error_in_the_stream_is_raised_with_its_code() -> None:
    fault = 'data: {"detail": "Away.", "code": "model_unavailable", "request_id": "r-1"}'
    with pytest.raises(APIError, match="Away") as caught:
        list(texts(serve("event: error", fault, "", "")))
    assert (caught.value.code, caught.value.request_id) == ("model_unavailable", "r-1")


def test_a_stream_is_not_asked_for_twice() -> None:
    transport = Scripted(refuse(503, "unavailable"), refuse(503, "unavailable"))
    with pytest.raises(Unavailable):
        list(texts(make_client(transport)))
    assert len(transport.requests) == 1
    with pytest.raises(ConnectionFailed):
        list(texts(make_client(Scripted(httpx.ConnectError("refused")))))
