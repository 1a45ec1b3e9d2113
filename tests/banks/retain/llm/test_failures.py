"""Unusable answers of a model, and endpoints that don't respond."""

import json
import re
from typing import Any

import pytest

from banks.enums import Mode
from banks.retain.llm import engine as llm_engine
from banks.retain.llm.engine import LLMEngine
from banks.types import Cause, CauseType, FoundEntity, Passage
from providers.llm.errors import LLMError, LLMRateLimited, LLMRefused, LLMTimeout, LLMUnavailable
from rules.engine import BuiltinEngine
from tests.banks.retain.llm.factory import (
    make_engine,
    make_llm,
    make_passage,
    make_turn,
    say_facts,
    say_nonsense,
)
from tests.clock import holds_to_a_time
from tests.llm_server import Received, ScriptedLLM

FOUR_TURNS = make_passage("We met in Rome.", "It rained.", "We ate ice cream.", "Then we flew home.")
TWO_LINKED: tuple[dict[str, Any], ...] = (
    {"number": 1, "what": "a", "turns": [1]},
    {"number": 2, "what": "b", "turns": [2], "causes": [{"target": 1, "type": "caused_by"}]},
)


def count_turns(received: Received) -> int:
    return len(re.findall(r"^turn \d+:", received.prompt, re.MULTILINE))


def test_an_unreadable_passage_is_halved(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=2)
    say_facts(llm_server, *TWO_LINKED)
    say_facts(llm_server, *TWO_LINKED)
    extraction = make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)
    assert [count_turns(received) for received in llm_server.chat.received] == [4, 4, 2, 2]
    assert [fact.quotes[0].turn for fact in extraction.facts] == [0, 1, 2, 3]
    assert [fact.mentioned_at for fact in extraction.facts] == [turn.said_at for turn in FOUR_TURNS.turns]
    assert [fact.causes for fact in extraction.facts] == [
        (),
        (Cause(0, CauseType.CAUSED_BY),),
        (),
        (Cause(2, CauseType.CAUSED_BY),),
    ]


def test_a_part_that_can_not_be_read_takes_no_other_with_it(llm_server: ScriptedLLM) -> None:
    def answer(received: Received) -> str:
        if "It rained." in received.prompt.split("turn 1:")[-1]:
            return "no"
        return json.dumps({"facts": [{"what": f"{count_turns(received)} turns", "turns": [1]}]})

    llm_server.chat.otherwise = answer
    passage = make_passage("We met in Rome.", "We ate ice cream.", "Then we flew home.", "It rained.")
    extraction = make_engine(llm_server).extract(passage, mode=Mode.NARRATIVE)
    assert [fact.quotes[0].turn for fact in extraction.facts] == [0, 2]
    assert len(extraction.errors) == 1
    assert extraction.errors[0].startswith("Message 4 could not be turned into facts")


def test_usage_counts_unusable_answers(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=2)
    say_facts(llm_server)
    say_facts(llm_server)
    usage = make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE).usage
    assert usage.calls == 4
    assert usage.input_tokens == sum(len(received.prompt.split()) for received in llm_server.chat.received)


def test_an_answer_that_is_cut_off_is_asked_in_halves(llm_server: ScriptedLLM) -> None:
    for _ in range(2):
        llm_server.chat.say('{"facts": [{"what": "We m', finish_reason="length")
    say_facts(llm_server, {"what": "a"})
    say_facts(llm_server, {"what": "b"})
    extraction = make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)
    assert [fact.text for fact in extraction.facts] == ["a.", "b."]


def test_one_turn_is_divided_between_its_sentences(llm_server: ScriptedLLM) -> None:
    text = "We met in Rome and had ice cream there. " * 8
    say_nonsense(llm_server, answers=2)
    say_facts(llm_server, {"what": "a"})
    say_facts(llm_server, {"what": "b"})
    extraction = make_engine(llm_server).extract(make_passage(text), mode=Mode.NARRATIVE)
    first, second = (fact.quotes[0] for fact in extraction.facts)
    assert (first.turn, second.turn) == (0, 0)
    assert text[first.start : first.end] + text[second.start : second.end] == text
    assert text[second.start :].startswith("We met")


def test_given_entities_stay_with_every_half(llm_server: ScriptedLLM) -> None:
    passage = make_passage("We met in Rome.", "It rained.", given_entities=(FoundEntity("Italy"),), context="a holiday")
    say_nonsense(llm_server, answers=2)
    say_facts(llm_server, {"what": "a"})
    say_facts(llm_server, {"what": "b"})
    facts = make_engine(llm_server).extract(passage, mode=Mode.NARRATIVE).facts
    assert [fact.text for fact in facts] == ["a.", "b."]
    assert all("Italy" in received.prompt for received in llm_server.chat.received)
    assert all("| a holiday" in received.prompt for received in llm_server.chat.received)


def test_a_model_that_never_answers_in_form_fails_the_passage_after_a_bounded_number_of_questions(
    llm_server: ScriptedLLM,
) -> None:
    llm_server.chat.otherwise = lambda _: "No."
    passage = make_passage(*(f"Sentence {number}." for number in range(64)))
    extraction = make_engine(llm_server).extract(passage, mode=Mode.NARRATIVE)
    assert [count_turns(received) for received in llm_server.chat.received] == [64, 64, 32, 32, 16, 16, 8, 8, 8, 8]
    assert (extraction.facts, extraction.is_done, extraction.usage.calls) == ((), False, 10)


@pytest.mark.parametrize(
    ("passage", "place"),
    [
        (make_passage("It rained."), "Message 1 could not be turned into facts"),
        (Passage((make_turn("It rained."),), is_document=True), "The characters 0 to 10 of the text could not be"),
    ],
)
def test_the_failure_says_where_and_holds_nothing_that_was_said(
    llm_server: ScriptedLLM, passage: Passage, place: str
) -> None:
    say_nonsense(llm_server, answers=2)
    extraction = make_engine(llm_server).extract(passage, mode=Mode.NARRATIVE)
    (error,) = extraction.errors
    assert (error.startswith(place), extraction.is_done) == (True, False)
    assert "after a repair" in error
    assert not re.search("rained|weather", error)


def test_a_failing_half_is_reported_beside_the_facts_of_the_other(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=2)
    say_facts(llm_server, {"what": "a"})
    llm_server.chat.otherwise = lambda _: "No."
    extraction = make_engine(llm_server).extract(make_passage("We met.", "It rained."), mode=Mode.NARRATIVE)
    assert len(extraction.facts) == 1
    assert extraction.errors[0].startswith("Message 2 ")


@pytest.mark.parametrize(("status", "error"), [(500, LLMUnavailable), (503, LLMUnavailable), (429, LLMRateLimited)])
def test_an_outage_is_no_fault_of_the_passage(llm_server: ScriptedLLM, status: int, error: type[LLMError]) -> None:
    llm_server.chat.fail(status)
    with pytest.raises(error):
        make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)
    assert len(llm_server.chat.received) == 1


@holds_to_a_time
def test_a_model_that_takes_too_long_is_an_outage(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_late("{}", delay=0.6)
    with pytest.raises(LLMTimeout):
        LLMEngine(make_llm(llm_server, timeout=0.1), quoting=BuiltinEngine()).extract(FOUR_TURNS, mode=Mode.NARRATIVE)


def test_a_model_that_declines_is_asked_about_smaller_parts(llm_server: ScriptedLLM) -> None:
    declined = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    llm_server.chat.send({"choices": [{"index": 0, "message": declined, "finish_reason": "stop"}]})
    say_facts(llm_server, {"what": "a"})
    say_facts(llm_server, {"what": "b"})
    assert len(make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE).facts) == 2


def test_an_outage_while_halves_are_asked_is_an_outage(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=2)
    llm_server.chat.fail(500)
    with pytest.raises(LLMUnavailable):
        make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)


def test_a_key_that_is_refused_is_no_fault_of_the_passage(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(401)
    with pytest.raises(LLMRefused):
        make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)
    assert len(llm_server.chat.received) == 1


def test_a_prompt_that_is_refused_as_too_long_is_asked_in_halves(llm_server: ScriptedLLM) -> None:
    def answer(received: Received) -> str:
        return json.dumps({"facts": [{"what": f"{count_turns(received)} turns"}]})

    llm_server.chat.fail(400, message="This model's maximum context length is 8192 tokens.", times=2)
    llm_server.chat.otherwise = answer
    extraction = make_engine(llm_server).extract(FOUR_TURNS, mode=Mode.NARRATIVE)
    assert [fact.text for fact in extraction.facts] == ["2 turns.", "2 turns."]


def test_a_passage_that_is_refused_to_the_last_fails_and_says_so(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(400, times=2)
    (error,) = make_engine(llm_server).extract(make_passage("It rained."), mode=Mode.NARRATIVE).errors
    assert "the model refused it" in error


def test_a_long_passage_is_divided_before_it_is_asked_about(
    llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm_server.chat.otherwise = lambda _: '{"facts": [{"what": "a", "turns": [1]}]}'
    passage = make_passage(*("We met in Rome and had ice cream there. " * 10 for _ in range(8)))
    monkeypatch.setattr(llm_engine, "CALL_TOKENS", 250)
    engine = make_engine(llm_server)
    extraction = engine.extract(passage, mode=Mode.NARRATIVE)
    assert [count_turns(received) for received in llm_server.chat.received] == [2, 2, 2, 2]
    assert [fact.quotes[0].turn for fact in extraction.facts] == [0, 2, 4, 6]


def test_a_long_turn_is_divided_until_it_fits_whatever_its_length(
    llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm_server.chat.otherwise = lambda _: '{"facts": [{"what": "a"}]}'
    text = "We met in Rome and had ice cream there. " * 400
    monkeypatch.setattr(llm_engine, "CALL_TOKENS", 250)
    engine = make_engine(llm_server)
    quotes = [fact.quotes[0] for fact in engine.extract(make_passage(text), mode=Mode.NARRATIVE).facts]
    assert len(quotes) > 8
    assert "".join(text[quote.start : quote.end] for quote in quotes) == text
