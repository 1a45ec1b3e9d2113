"""The effect of a budget: a wider first recall, look-ups that the model asks for, and one repair of its notes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from providers.endpoint.limits import EndpointConfig
from providers.llm.errors import LLMTimeout
from providers.llm.openai import OpenAILLM
from providers.llm.protocol import ChatMessage, Completion
from providers.tokens import count, truncate
from providers.usage import Usage
from reflection.reflect.prompt import LAST_CALL, TokenBudget
from reflection.reflect.reflect import reflect, reflect_in_steps
from reflection.reflect.tools import ReflectTools
from reflection.reflect.trace import Trace
from reflection.reflect.types import BOUNDS, Bounds, Done, Retrieved
from retrieval.recall import recall
from retrieval.types import RecallResult
from tests.llm_server import Received, ScriptedLLM
from tests.reflection.reflect.answers import DIVIDER, ask, opinion, write
from tests.retrieval.memory import Memory

QUESTION = "Where does Alice live, Lisbon?"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def last_message(server: ScriptedLLM) -> str:
    return str(server.chat.received[-1].body["messages"][-1]["content"])


def test_the_model_may_search_follow_a_name_and_open_a_source(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    fact = memory.unit("Alice moved to Lisbon where Alice does live since the spring of that year")
    memory.quote(fact, memory.message("Guess what: I moved to Lisbon!"))
    bob = memory.entity("Bob")
    hidden = memory.unit("Bob bought a bicycle", about=[bob])
    query = ask(QUESTION, "mid")
    look_ups = [{"recall": "bicycle bought"}, {"entity": "bob"}, {"source": 1}]
    server.chat.say(write("", lookups=look_ups))
    server.chat.say(write("Lisbon [1], and Bob cycles [2]."))
    query = replace(query, recall=replace(query.recall, max_tokens=17))
    events = list(reflect_in_steps(memory.bank, query, tools, Trace()))
    assert isinstance(events[-1], Done)
    result = events[-1].result
    shown = [[one.id for one in event.memories] for event in events if isinstance(event, Retrieved)]
    assert shown == [[fact.id], [hidden.id]]
    assert "Guess what: I moved to Lisbon!" in last_message(server)
    assert {one.kind for one in result.trace.look_ups if one.round == 1} == {"recall", "entity", "source"}
    assert {one.id for one in result.cited} == {fact.id, hidden.id}
    assert len(result.trace.calls) == 2


def test_the_last_round_is_announced_and_a_model_that_keeps_asking_gets_the_extractive_answer(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon, where does Alice live")
    server.chat.otherwise = lambda _received: write("", lookups=[{"recall": "more of it"}])
    result = reflect(memory.bank, ask(QUESTION, "mid"), tools)
    assert len(server.chat.received) == BOUNDS["mid"].calls
    assert [LAST_CALL in received.prompt for received in server.chat.received] == [False, False, True]
    assert result.engine == "builtin"
    assert "The model wrote no answer; the built-in engine did." in result.trace.notes


@pytest.mark.parametrize("bounds", [Bounds(6, 2_000, 60.0), Bounds(6, 128_000, 9.0), Bounds(1, 128_000, 60.0)])
def test_each_bound_by_itself_makes_the_first_turn_the_last(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, bounds: Bounds
) -> None:
    server.chat.otherwise = lambda _received: write("", lookups=[{"recall": "more of it"}])
    reflect(memory.bank, ask(QUESTION, "high", bounds=bounds), tools)
    assert len(server.chat.received) == 1


def test_look_ups_that_can_not_be_read_are_noted(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    memory.unit("Bob bought a bicycle", about=[memory.entity("Bob")])
    server.chat.say(write("", lookups=[{"recall": None, "entity": "Bob"}, {"recall": None}]))
    server.chat.say(write("Bob cycles."))
    result = reflect(memory.bank, ask(QUESTION, "mid"), tools)
    assert ("entity", "Bob") in [(one.kind, one.wanted) for one in result.trace.look_ups]
    assert result.trace.notes == ["Of the look-ups that the model asked for, 1 could not be read."]


def test_a_model_with_unreadable_look_ups_gets_the_error_and_is_asked_again(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon where Alice does live since the spring of that year")
    server.chat.say(write("", lookups=[{"sql": "drop table"}]))
    server.chat.say(write("In Lisbon [1]."))
    result = reflect(memory.bank, ask(QUESTION, "mid"), tools)
    assert result.engine != "builtin"
    assert "could not be read" in last_message(server)
    assert len(result.trace.calls) == 2


def test_a_model_that_takes_too_long_is_given_up(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    server.chat.say_late("In Lisbon.", delay=3.0)
    with pytest.raises(LLMTimeout):
        reflect(memory.bank, ask(QUESTION, bounds=Bounds(1, 16_000, 1.0)), tools)


def test_memories_that_were_shown_are_named_and_not_sent_again(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(write("", lookups=[{"recall": "Alice Lisbon"}]))
    server.chat.say(write("In Lisbon [1]."))
    reflect(memory.bank, ask(QUESTION, "mid"), tools)
    results = server.chat.received[1].body["messages"][-1]["content"]
    assert "Found again, and shown above: [1]." in results
    assert "Alice moved to Lisbon" not in results


@pytest.mark.parametrize(("budget", "most"), [("low", 3_500), ("mid", 8_000)])
def test_a_prompt_has_at_most_so_many_tokens(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, budget: str, most: int
) -> None:
    for number in range(60):
        memory.unit(f"Alice does live in Lisbon, house {number}, " + "with a long garden behind it " * 30)
    server.chat.say(write("In Lisbon [1]."))
    query = ask(QUESTION, budget)
    reflect(memory.bank, replace(query, recall=replace(query.recall, max_tokens=20_000)), tools)
    received = server.chat.received[0].body["messages"]
    total = sum(count(message["content"]) for message in received)
    assert most - 700 <= total <= most


def test_a_single_call_has_the_time_limit_of_the_settings(memory: Memory, tools: ReflectTools) -> None:
    seen: list[float | None] = []

    class Timed(OpenAILLM):
        def complete(self, *_: Any, timeout: float | None = None, **__: Any) -> Completion:
            seen.append(timeout)
            return Completion("In Lisbon.", Usage(), "stop")

    timed = Timed(EndpointConfig("http://127.0.0.1:9"), model="timed")
    reflect(memory.bank, ask(QUESTION), replace(tools, llm=timed))
    assert seen == [None]


def test_look_ups_beside_an_answer_are_not_made(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    server.chat.say(write("In Lisbon.", lookups=[{"recall": "more"}]))
    result = reflect(memory.bank, ask(QUESTION, "high"), tools)
    assert (result.text, len(server.chat.received)) == ("In Lisbon.", 1)


def test_a_wider_look_follows_the_names_in_the_question(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice built a red kit", about=[memory.entity("Alice")])
    server.chat.say(write("One [1]."))
    question = "How many red kits has Alice built or bought last spring?"
    result = reflect(memory.bank, ask(question, "mid"), tools)
    assert [(one.kind, one.wanted) for one in result.trace.look_ups] == [("recall", question), ("entity", "Alice")]
    assert result.retrieved == 1


def test_without_a_model_only_the_question_is_recalled(memory: Memory, builtin: ReflectTools) -> None:
    memory.unit("Alice built a red kit", about=[memory.entity("Alice")])
    result = reflect(memory.bank, ask("Which red kit has Alice built?", "high"), builtin)
    assert [one.kind for one in result.trace.look_ups] == ["recall"]


def test_the_first_look_ups_run_side_by_side(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    memory.entity("Alice")
    server.chat.say(write("None."))
    result = recall(memory.bank, ask(QUESTION).recall, tools.recall)
    meeting = Barrier(2, timeout=10)

    def wait_for_another(*_given: object) -> RecallResult:
        meeting.wait()
        return result

    with ThreadPoolExecutor(4) as executor:
        reflect(memory.bank, ask(QUESTION, "mid"), replace(tools, executor=executor, recalling=wait_for_another))
    assert meeting.broken is False


STRUCTURED: list[tuple[dict[str, Any], str]] = [
    ({}, "The model gave no structured output."),
    ({"structured_output": {"city": 3}}, "At city: 3 is not of type 'string'"),
    ({"structured_output": None}, "At the top: None is not of type 'object'"),
]


@pytest.mark.parametrize(("notes", "error"), STRUCTURED)
def test_a_low_budget_reports_faults_of_the_structured_output(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, notes: dict[str, Any], error: str
) -> None:
    server.chat.say(write("In Lisbon.", **notes))
    result = reflect(memory.bank, ask(QUESTION, response_schema=SCHEMA), tools)
    assert (result.text, result.structured.value, result.structured.error) == ("In Lisbon.", None, error)
    assert len(server.chat.received) == 1


def test_notes_that_are_no_json_cost_the_structured_output_and_not_the_answer(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    server.chat.say(f"In Lisbon.\n{DIVIDER}\n{{not json")
    result = reflect(memory.bank, ask(QUESTION, response_schema=SCHEMA), tools)
    assert result.structured.error == "The notes after the model's answer are no JSON object."
    assert result.text == "In Lisbon."


def test_a_larger_budget_has_the_notes_written_once_more(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon")
    server.chat.say(write("In Lisbon [1].", structured_output={"city": 3}))
    formed = opinion("I think that Alice likes Lisbon since she moved there", [1])
    server.chat.say('{"structured_output": {"city": "Lisbon"}, "opinions": [' + str(formed).replace("'", '"') + "]}")
    result = reflect(memory.bank, ask(QUESTION, "mid", response_schema=SCHEMA), tools)
    assert (result.text, result.structured.value, result.structured.error) == (
        "In Lisbon [1].",
        {"city": "Lisbon"},
        None,
    )
    assert [call.purpose for call in result.trace.calls] == ["answer", "repair"]
    assert [one.outcome for one in result.opinions] == ["formed"]
    assert "At city: 3 is not of type 'string'" in last_message(server)


def test_a_failed_repair_leaves_the_readable_notes(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    memory.unit("Alice moved to Lisbon")
    formed = opinion("I think that Alice likes Lisbon since she moved there", [1])
    server.chat.say(write("In Lisbon [1].", structured_output={"city": 3}, opinions=[formed]))
    server.chat.say("sorry")
    result = reflect(memory.bank, ask(QUESTION, "mid", response_schema=SCHEMA), tools)
    assert result.structured.error == "At city: 3 is not of type 'string'"
    assert [one.outcome for one in result.opinions] == ["formed"]


def test_a_model_that_is_gone_at_the_repair_does_not_take_the_answer_with_it(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    server.chat.say("In Lisbon.")
    server.chat.fail(500)
    result = reflect(memory.bank, ask(QUESTION, "mid"), tools)
    assert (result.text, len(server.chat.received)) == ("In Lisbon.", 2)
    assert result.trace.notes[-1].startswith("The notes were not repaired: ")


def test_there_is_no_repair_without_room_for_it(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    server.chat.say("In Lisbon.")
    reflect(memory.bank, ask(QUESTION, "mid", bounds=Bounds(3, 1_500, 60.0)), tools)
    assert len(server.chat.received) == 1


TOKENS = [1_000, 1_900, 2_500, 4_000, 8_000]


@pytest.mark.parametrize("tokens", TOKENS)
def test_no_more_tokens_are_spent_than_the_caller_allows(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, tokens: int
) -> None:
    """The model writes as much as it may and keeps asking for look-ups."""
    for number in range(30):
        memory.unit(f"Alice does live in Lisbon, house {number}, {'with many rooms ' * 8}")

    def write_all(received: Received) -> str:
        most = received.body.get("max_completion_tokens") or received.body["max_tokens"]
        asked = write("", lookups=[{"recall": "house rooms"}, {"source": 1}])
        return truncate(asked + " word" * most, most)

    server.chat.otherwise = write_all
    result = reflect(memory.bank, ask(QUESTION, "high", bounds=Bounds(6, tokens, 60.0)), tools)
    spent = sum(
        count(received.body["messages"][place]["content"])
        for received in server.chat.received
        for place in range(len(received.body["messages"]))
    )
    written = sum(call.usage.output_tokens for call in result.trace.calls)
    assert spent + written <= tokens
    assert sum(call.usage.input_tokens + call.usage.output_tokens for call in result.trace.calls) <= tokens


def test_memories_that_do_not_fit_are_left_out_of_the_prompt(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    for number in range(30):
        memory.unit(f"Alice does live in Lisbon, house {number}, {'with many rooms ' * 8}")
    server.chat.say(write("In Lisbon [1]."))
    result = reflect(memory.bank, ask(QUESTION, bounds=Bounds(1, 2_500, 60.0)), tools)
    assert (result.text, result.retrieved) == ("In Lisbon [1].", 30)
    assert 0 < server.chat.received[0].prompt.count("| Alice does live") < 30
    assert any("memories were left out of the prompt" in note for note in result.trace.notes)


def test_a_prompt_of_short_memories_is_filled_to_its_bound(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    for number in range(250):
        memory.unit(f"Alice does live in Lisbon, house {number}.")
    server.chat.say(write("In Lisbon [1]."))
    query = ask(QUESTION, "low")
    result = reflect(memory.bank, replace(query, recall=replace(query.recall, max_tokens=20_000)), tools)
    total = sum(count(message["content"]) for message in server.chat.received[0].body["messages"])
    assert result.retrieved > len(result.trace.read)
    assert 3_400 < total <= 3_500
    assert len(result.trace.read) == server.chat.received[0].prompt.count("| Alice does live")


def test_a_memory_that_the_model_was_not_shown_is_no_citation_and_no_evidence(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    for number in range(30):
        memory.unit(f"Alice does live in Lisbon, house {number}, {'with many rooms ' * 8}")
    believed = [opinion("I think Alice is rich", [30]), opinion("I think Alice is at home in Lisbon", ["[1]", 29])]
    server.chat.say(write("In Lisbon [1][30].", opinions=believed))
    result = reflect(memory.bank, ask(QUESTION, bounds=Bounds(1, 2_700, 60.0)), tools)
    assert "[30]" not in server.chat.received[0].prompt
    assert (result.text, result.dropped_citations) == ("In Lisbon [1].", 1)
    assert [one.text for one in result.opinions] == ["I think Alice is at home in Lisbon"]
    assert "2 references of opinions name no memory that the model was shown." in result.trace.notes


def test_a_bound_that_holds_no_call_leaves_the_answer_to_the_built_in_engine(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon, where does Alice live")
    result = reflect(memory.bank, ask(QUESTION, bounds=Bounds(1, 1_000, 60.0), response_schema=SCHEMA), tools)
    assert (result.engine, server.chat.received) == ("builtin", [])
    assert result.structured.error == "Structured output needs a language model, and it wrote no answer."
    assert "the model was not asked" in result.trace.notes[-1]


def test_a_model_that_counts_more_tokens_than_we_do_is_counted_as_it_counts(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    room, call = TokenBudget(Bounds(3, 10_000, 60.0), Trace()), [ChatMessage("user", "word " * 100)]
    before = room.count(call)
    room.learn(call, Usage(input_tokens=before * 2))
    assert room.count(call) == before * 2
    room.learn(call, Usage(input_tokens=1))
    assert room.count(call) == before * 2
