import json
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from providers.llm.errors import LLMRefused, LLMUnavailable, MalformedAnswer
from providers.usage import Usage
from tests.llm_server import ScriptedLLM
from tests.providers.llm.factory import ASK, make_llm


class Fact(BaseModel):
    subject: str
    certainty: float = Field(ge=0, le=1)
    kind: Literal["event", "state"] = "state"


GOOD = '{"subject": "Alice", "certainty": 0.5, "kind": "event"}'
VALUE = Fact(subject="Alice", certainty=0.5, kind="event")


def test_an_answer_is_read_into_the_model(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(GOOD)
    structured = make_llm(llm_server).complete_as(Fact, ASK)
    assert structured.value == VALUE
    assert (structured.raw, structured.repaired, structured.usage.calls) == (GOOD, False, 1)


def test_the_schema_is_sent_strictly(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(GOOD)
    make_llm(llm_server).complete_as(Fact, ASK, max_tokens=50, temperature=0.0)
    body = llm_server.chat.received[0].body
    sent = body["response_format"]["json_schema"]
    assert (body["response_format"]["type"], sent["name"], sent["strict"]) == ("json_schema", "Fact", True)
    assert sent["schema"]["required"] == ["subject", "certainty", "kind"]
    assert sent["schema"]["additionalProperties"] is False
    assert (body["max_tokens"], body["temperature"]) == (50, 0.0)
    assert len(body["messages"]) == len(ASK)


def test_in_json_mode_the_schema_is_in_the_system_message(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(GOOD)
    llm_server.chat.say(GOOD)
    llm = make_llm(llm_server, structured_output="json_object")
    llm.complete_as(Fact, ASK)
    llm.complete_as(Fact, ASK[1:])
    for request in llm_server.chat.received:
        assert request.body["response_format"] == {"type": "json_object"}
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
        assert '"certainty"' in request.body["messages"][0]["content"]
    assert llm_server.chat.received[0].body["messages"][0]["content"].startswith("You are brief.")


@pytest.mark.parametrize("status", [400, 422])
def test_an_endpoint_without_schemas_gets_json_mode_from_then_on(llm_server: ScriptedLLM, status: int) -> None:
    llm_server.chat.fail(status, message="This response_format type is unavailable now")
    for _ in range(2):
        llm_server.chat.say(GOOD)
    llm = make_llm(llm_server)
    assert llm.complete_as(Fact, ASK).value == VALUE
    assert llm.complete_as(Fact, ASK).value == VALUE
    modes = [request.body["response_format"]["type"] for request in llm_server.chat.received]
    assert modes == ["json_schema", "json_object", "json_object"]


def test_a_refusal_for_another_reason_is_not_remembered(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(400, message="The prompt is too long", times=2)
    llm_server.chat.say(GOOD)
    llm = make_llm(llm_server)
    with pytest.raises(LLMRefused):
        llm.complete_as(Fact, ASK)
    llm.complete_as(Fact, ASK)
    assert llm_server.chat.received[-1].body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "text",
    [f"```json\n{GOOD}\n```", f"Here it is: {GOOD} I hope it helps.", f"<think>Alice works</think>\n{GOOD}"],
    ids=["fence", "sentence", "thoughts"],
)
def test_text_around_an_answer_is_no_fault(llm_server: ScriptedLLM, text: str) -> None:
    llm_server.chat.say(text)
    structured = make_llm(llm_server).complete_as(Fact, ASK)
    assert (structured.value, structured.repaired) == (VALUE, False)


@pytest.mark.parametrize("faulty", ["", "no json", "{broken", '{"subject": "Alice", "certainty": 7}', "[]"])
def test_a_faulty_answer_is_shown_once_and_repaired(llm_server: ScriptedLLM, faulty: str) -> None:
    llm_server.chat.say(faulty)
    llm_server.chat.say(GOOD)
    structured = make_llm(llm_server).complete_as(Fact, ASK)
    assert (structured.value, structured.raw, structured.repaired) == (VALUE, GOOD, True)
    assert structured.usage.calls == 2
    *_, shown, complaint = llm_server.chat.received[1].body["messages"]
    assert shown == {"role": "assistant", "content": faulty or "(no answer)"}
    assert complaint["role"] == "user"
    assert "not valid" in complaint["content"]


def test_the_complaint_names_the_fault(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say('{"subject": "Alice", "certainty": 7}')
    llm_server.chat.say(GOOD)
    make_llm(llm_server).complete_as(Fact, ASK)
    complaint = llm_server.chat.received[1].body["messages"][-1]["content"]
    assert "- certainty: Input should be less than or equal to 1" in complaint


def test_two_faulty_answers_are_malformed_with_the_last_one_and_all_usage(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("the first faulty answer")
    llm_server.chat.say('{"subject": "Alice of the harbour", "certainty": 7}')
    with pytest.raises(MalformedAnswer, match="faults at certainty") as caught:
        make_llm(llm_server).complete_as(Fact, ASK)
    error = caught.value
    assert json.loads(error.raw)["certainty"] == 7
    assert error.usage.calls == 2
    assert error.usage.output_tokens == 4 + 7
    assert not error.truncated
    assert len(llm_server.chat.received) == 2


def test_a_truncated_answer_is_said_to_be_so(llm_server: ScriptedLLM) -> None:
    for _ in range(2):
        llm_server.chat.say('{"subject": "Ali', finish_reason="length")
    with pytest.raises(MalformedAnswer, match="cut off at the limit") as caught:
        make_llm(llm_server).complete_as(Fact, ASK)
    assert caught.value.truncated
    assert "too long" in llm_server.chat.received[1].body["messages"][-1]["content"]


def test_the_answer_is_in_no_error_message_and_in_no_cause(llm_server: ScriptedLLM) -> None:
    for _ in range(2):
        llm_server.chat.say('{"subject": "Alice of the harbour", "certainty": 7}')
    with pytest.raises(MalformedAnswer) as caught:
        make_llm(llm_server).complete_as(Fact, ASK)
    assert "harbour" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_usage_of_both_tries_is_summed(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("faulty")
    llm_server.chat.say(GOOD)
    usage = make_llm(llm_server).complete_as(Fact, ASK).usage
    first, second = (len(request.prompt.split()) for request in llm_server.chat.received)
    assert usage == Usage(first + second, 1 + len(GOOD.split()), calls=2)


def test_a_repair_that_fails_on_the_way_is_the_endpoints_failure(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("faulty")
    llm_server.chat.fail(500, times=9)
    with pytest.raises(LLMUnavailable):
        make_llm(llm_server, max_retries=1).complete_as(Fact, ASK)
