import time
from collections.abc import Iterable

import pytest

from providers.llm.errors import LLMRefused, LLMTimeout, LLMUnavailable, StreamInterrupted
from providers.llm.protocol import StreamEnd, TextDelta
from providers.usage import Usage
from tests.clock import holds_to_a_time
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply
from tests.providers.llm.factory import ASK, make_llm
from tests.providers.sampled import read_metric

STORY = "one two three four five six seven eight nine ten " * 20


def join(items: Iterable[TextDelta | StreamEnd]) -> str:
    return "".join(item.text for item in items if isinstance(item, TextDelta))


def test_deltas_come_first_and_the_end_with_usage_last(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("At the harbour office.")
    *deltas, end = make_llm(llm_server).stream(ASK)
    assert [delta.text for delta in deltas if isinstance(delta, TextDelta)] == ["At ", "the ", "harbour ", "office."]
    assert end == StreamEnd(Usage(7, 4, calls=1), "stop")


def test_a_stream_is_asked_for_with_its_usage(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("yes")
    list(make_llm(llm_server).stream(ASK, max_tokens=9, temperature=0.5))
    body = llm_server.chat.received[0].body
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert (body["max_tokens"], body["temperature"]) == (9, 0.5)


@holds_to_a_time
def test_deltas_arrive_while_the_endpoint_is_still_writing(llm_server: ScriptedLLM) -> None:
    llm_server.chat.reply(Reply(text="one two three four", trickle=0.5))
    started = time.monotonic()
    stream = make_llm(llm_server).stream(ASK)
    assert next(stream) == TextDelta("one ")
    assert time.monotonic() - started < 1.5
    assert join(stream) == "two three four"


def test_a_stream_without_usage_is_estimated(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("one two three", counts_tokens=False)
    *_, end = make_llm(llm_server).stream(ASK)
    assert isinstance(end, StreamEnd)
    assert end.usage.estimated
    assert end.usage.output_tokens == 3


def test_tokens_of_a_stream_are_counted_also_when_it_breaks_off(llm_server: ScriptedLLM) -> None:
    before = read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="output")
    llm_server.chat.say("one two three")
    llm_server.chat.say("one two", finish_reason=None)
    llm = make_llm(llm_server)
    list(llm.stream(ASK))
    with pytest.raises(StreamInterrupted):
        list(llm.stream(ASK))
    assert read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="output") == before + 5


@holds_to_a_time
def test_a_consumer_that_stops_early_closes_the_connection_and_frees_the_slot(llm_server: ScriptedLLM) -> None:
    labels = {"provider": "openai", "kind": "chat_stream", "outcome": "abandoned"}
    before = read_metric("memoryplatform_provider_calls_total", **labels)
    llm_server.chat.reply(Reply(text=STORY, trickle=0.01))
    llm_server.chat.say("yes")
    llm = make_llm(llm_server, max_concurrency=1)
    stream = llm.stream(ASK)
    next(stream)
    stream.close()
    assert llm.complete(ASK, timeout=1).text == "yes"
    assert read_metric("memoryplatform_provider_calls_total", **labels) == before + 1
    wait_until_abandoned(llm_server)


def wait_until_abandoned(server: ScriptedLLM) -> None:
    deadline = time.monotonic() + 20
    while not server.abandoned:
        assert time.monotonic() < deadline, "the server could still write to a connection that nobody reads"
        time.sleep(0.01)


def test_a_connection_that_is_lost_interrupts_with_the_text_so_far(llm_server: ScriptedLLM) -> None:
    llm_server.chat.drop("stream", text="one two three four five six")
    stream = make_llm(llm_server).stream(ASK)
    with pytest.raises(StreamInterrupted) as caught:
        list(stream)
    assert caught.value.partial.startswith("one two ")
    assert not caught.value.partial.endswith("six")
    assert caught.value.usage.estimated
    assert caught.value.usage.output_tokens > 1
    assert "one" not in str(caught.value)


def test_an_end_without_a_finish_reason_is_an_interruption(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("one two", finish_reason=None)
    with pytest.raises(StreamInterrupted, match="without a finish reason") as caught:
        list(make_llm(llm_server).stream(ASK))
    assert caught.value.partial == "one two"


@pytest.mark.parametrize(
    "event",
    [b"data: {broken\n\n", b'data: "text"\n\n', b'data: {"choices": 3}\n\n', b'data: {"error": {"message": "no"}}\n\n'],
    ids=["broken", "no object", "no choices", "error"],
)
def test_a_chunk_that_is_none_interrupts(llm_server: ScriptedLLM, event: bytes) -> None:
    llm_server.chat.send_raw(b'data: {"choices": [{"delta": {"content": "one"}}]}\n\n' + event)
    with pytest.raises(StreamInterrupted) as caught:
        list(make_llm(llm_server).stream(ASK))
    assert caught.value.partial == "one"


@holds_to_a_time
def test_the_timeout_covers_the_whole_stream(llm_server: ScriptedLLM) -> None:
    llm_server.chat.reply(Reply(text=STORY, trickle=0.05))
    started = time.monotonic()
    with pytest.raises(StreamInterrupted, match="APITimeoutError"):
        list(make_llm(llm_server).stream(ASK, timeout=0.4))
    assert time.monotonic() - started < 3


@holds_to_a_time
def test_a_stream_that_does_not_begin_is_retried_and_fails_like_any_call(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(503)
    llm_server.chat.drop("before")
    llm_server.chat.say("yes")
    llm = make_llm(llm_server, max_retries=2)
    assert join(llm.stream(ASK)) == "yes"
    llm_server.chat.fail(500, times=3)
    with pytest.raises(LLMUnavailable):
        list(llm.stream(ASK))
    llm_server.chat.fail(401)
    with pytest.raises(LLMRefused):
        list(llm.stream(ASK))
    llm_server.chat.say_late("late", delay=1)
    with pytest.raises(LLMTimeout):
        list(llm.stream(ASK, timeout=0.2))


def test_a_stream_adapts_to_the_endpoint(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(400, message="Use 'max_completion_tokens' instead.")
    llm_server.chat.say("yes")
    assert join(make_llm(llm_server).stream(ASK, max_tokens=5)) == "yes"
    assert llm_server.chat.received[1].body["max_completion_tokens"] == 5
