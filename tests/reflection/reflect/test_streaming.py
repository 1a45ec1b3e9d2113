"""Streaming an answer: the events, and the stored state if the stream ends early."""

import json
import time

import pytest

from banks.models import MemoryUnit
from providers.llm.errors import LLMError, StreamInterrupted
from reflection.reflect.reflect import reflect, reflect_in_steps
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import Cited, Delta, Done, Event, Formed, Pause, Retrieved, Started
from tenants.transactions import tenant_transaction
from tests.clock import holds_to_a_time
from tests.llm_server import Received, ScriptedLLM
from tests.llm_server.script import Reply, echo
from tests.llm_server.wire import build_chunk
from tests.reflection.reflect.answers import DIVIDER, ask, opinion, write
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"
OPINION = opinion("I think that Alice likes Lisbon since she moved there", [1])
ANSWER = write("She lives in Lisbon [1], not in Rome [9].", opinions=[OPINION])


def shown(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta)).strip()


def opinions_of(memory: Memory) -> int:
    with tenant_transaction(memory.bank.tenant_id):
        return MemoryUnit.objects.of_bank(memory.bank).filter(network="opinion").count()


def send_letter_by_letter(server: ScriptedLLM, text: str) -> None:
    def answer(received: Received) -> Reply:
        chunks = [build_chunk(received, {"content": letter}) for letter in echo(text, received.prompt)]
        chunks.append(build_chunk(received, {}, finish_reason="stop"))
        events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
        return Reply(raw=b"".join(events) + b"data: [DONE]\n\n")

    server.chat.otherwise = answer


def test_the_events_come_in_order_and_end_with_the_answer_of_a_plain_call(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(ANSWER)
    server.chat.say(ANSWER)
    events = list(reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace()))
    plain = reflect(memory.bank, ask(QUESTION), tools)
    kinds = list(dict.fromkeys(type(event) for event in events if not isinstance(event, Pause)))
    assert kinds == [Started, Retrieved, Delta, Cited, Formed, Done]
    done = events[-1]
    assert isinstance(done, Done)
    assert shown(events) == done.result.text == plain.text == "She lives in Lisbon [1], not in Rome."
    assert done.result.dropped_citations == plain.dropped_citations == 1
    assert [one.outcome for one in (*done.result.opinions, *plain.opinions)] == ["formed", "restated"]
    streamed, whole = (received.body["messages"][0] for received in server.chat.received)
    assert streamed == whole


def test_a_delimiter_that_comes_letter_by_letter_is_never_shown(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    send_letter_by_letter(server, ANSWER)
    events = list(reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace()))
    assert shown(events) == "She lives in Lisbon [1], not in Rome."
    assert len([event for event in events if isinstance(event, Delta)]) > 10
    assert opinions_of(memory) == 1


@pytest.mark.parametrize("before", [" ", "\n> ", '\n"', "\n1. _"])
def test_notes_behind_a_line_that_is_not_alone_are_not_shown_and_still_read(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, before: str
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.otherwise = lambda _received: ANSWER.replace("\n<<", f"{before}<<", 1)
    plain = reflect(memory.bank, ask(QUESTION), tools)
    done = list(reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace()))[-1]
    assert isinstance(done, Done)
    for result in (plain, done.result):
        assert "NOTES" not in result.text
        assert "opinions" not in result.text
        assert len(result.opinions) == 1


@pytest.mark.parametrize("text", ["She lives in Lisbon [1]. " * 9, ANSWER])
def test_an_interrupted_model_stores_nothing_but_its_usage(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, text: str
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.drop("stream", text=text)
    trace, events = Trace(), []
    with pytest.raises(StreamInterrupted):
        for event in reflect_in_steps(memory.bank, ask(QUESTION), tools, trace):
            events.append(event)  # noqa: PERF402  # what came before the break is kept
    assert any(isinstance(event, Delta) for event in events)
    assert not any(isinstance(event, Formed | Done) for event in events)
    assert opinions_of(memory) == 0
    assert trace.spent.output_tokens > 0


@pytest.mark.parametrize("streams", [False, True])
def test_a_model_that_writes_nothing_leaves_it_to_the_built_in_engine_and_one_without_a_choice_fails(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, *, streams: bool
) -> None:
    memory.unit("Alice moved to Lisbon, where does Alice live")
    server.chat.say("")
    *_, last = reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace(), streams=streams)
    assert isinstance(last, Done)
    assert last.result.engine == "builtin"
    nothing = b'{"choices": []}'
    server.chat.send_raw(b"data: " + nothing + b"\n\ndata: [DONE]\n\n" if streams else nothing)
    with pytest.raises(LLMError):
        list(reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace(), streams=streams))


@holds_to_a_time
def test_a_disconnect_closes_the_connection_to_the_model_and_stores_nothing(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say_slowly("A long story of Lisbon. " * 50 + f"\n{DIVIDER}\n{{}}", trickle=0.01)
    trace = Trace()
    steps = reflect_in_steps(memory.bank, ask(QUESTION), tools, trace)
    next(event for event in steps if isinstance(event, Delta))
    steps.close()
    deadline = time.monotonic() + 20
    while not server.abandoned and time.monotonic() < deadline:
        time.sleep(0.01)
    assert server.abandoned == 1
    assert opinions_of(memory) == 0
    assert trace.spent.estimated


@holds_to_a_time
def test_a_disconnect_during_the_models_notes_stores_nothing(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say_slowly(ANSWER, trickle=0.01)
    steps = reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace())
    next(event for event in steps if isinstance(event, Pause))
    steps.close()
    deadline = time.monotonic() + 20
    while not server.abandoned and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (server.abandoned, opinions_of(memory)) == (1, 0)


def test_a_disconnect_before_opinions_are_formed_forms_none(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(ANSWER)
    steps = reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace(), streams=False)
    pauses = [next(event for event in steps if isinstance(event, Pause)) for _ in range(2)]
    steps.close()
    assert (len(pauses), opinions_of(memory)) == (2, 0)


def test_an_answer_that_is_cut_at_its_length_is_kept_without_opinions(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say("She lives in", finish_reason="length")
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert (result.text, result.truncated, result.opinions) == ("She lives in", True, ())


@pytest.mark.parametrize("streams", [False, True])
def test_an_answer_that_a_filter_has_cut_forms_no_opinions(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, *, streams: bool
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(ANSWER, finish_reason="content_filter")
    *_, done = reflect_in_steps(memory.bank, ask(QUESTION), tools, Trace(), streams=streams)
    assert isinstance(done, Done)
    assert (done.result.truncated, done.result.opinions, opinions_of(memory)) == (True, (), 0)
    assert "content filter" in done.result.trace.notes[-1]


def test_the_answer_has_no_more_tokens_than_were_asked_for(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(write("one two three four five [1]"))
    result = reflect(memory.bank, ask(QUESTION, answer_tokens=3), tools)
    assert (result.text, result.truncated, result.cited) == ("one two three", True, ())
