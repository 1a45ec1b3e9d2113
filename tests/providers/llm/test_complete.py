import pytest

from providers.llm.errors import LLMRefused, MalformedAnswer
from providers.llm.protocol import ChatMessage
from providers.usage import Usage
from tests.llm_server import ScriptedLLM
from tests.providers.llm.factory import ASK, KEY, make_llm
from tests.providers.sampled import read_metric


def test_an_answer_comes_with_its_usage_and_finish_reason(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("At the harbour office.")
    completion = make_llm(llm_server).complete(ASK)
    assert completion.text == "At the harbour office."
    assert completion.usage == Usage(7, 4, calls=1)
    assert (completion.finish_reason, completion.truncated) == ("stop", False)


def test_the_request_holds_only_the_given_options(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("yes")
    llm_server.chat.say("yes")
    llm = make_llm(llm_server)
    llm.complete(ASK)
    llm.complete(ASK, max_tokens=5, temperature=0.0)
    plain, limited = llm_server.chat.received
    messages = [{"role": message.role, "content": message.content} for message in ASK]
    assert plain.body == {"model": "a-model", "messages": messages}
    assert limited.body == {"model": "a-model", "messages": messages, "max_tokens": 5, "temperature": 0.0}
    assert plain.headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_no_key_of_the_environment_is_sent(
    llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    from providers.endpoint.limits import EndpointConfig
    from providers.llm.openai import OpenAILLM

    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-someone")
    llm_server.chat.say("yes")
    OpenAILLM(EndpointConfig(base_url=llm_server.url), model="a-model").complete(ASK)
    assert "sk-of-someone" not in llm_server.chat.received[0].headers["authorization"]


def test_an_answer_that_ran_into_its_limit_says_so(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("At the harb", finish_reason="length")
    assert make_llm(llm_server).complete(ASK).truncated


def test_tokens_are_estimated_where_the_endpoint_does_not_count(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("one two three", counts_tokens=False)
    usage = make_llm(llm_server).complete([ChatMessage("user", "one two")]).usage
    assert usage == Usage(2, 3, calls=1, estimated=True)


def test_tokens_are_estimated_where_the_endpoint_counts_zero(llm_server: ScriptedLLM) -> None:
    choice = {"message": {"content": "one"}, "finish_reason": "stop"}
    llm_server.chat.send({"choices": [choice], "usage": {"prompt_tokens": 0, "completion_tokens": 0}})
    assert make_llm(llm_server).complete(ASK).usage.estimated


def test_calls_and_tokens_are_counted(llm_server: ScriptedLLM) -> None:
    labels = {"provider": "openai", "kind": "chat", "outcome": "ok"}
    calls = read_metric("memoryplatform_provider_calls_total", **labels)
    read = read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="input")
    written = read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="output")
    llm_server.chat.say("one two three")
    make_llm(llm_server).complete(ASK)
    assert read_metric("memoryplatform_provider_calls_total", **labels) == calls + 1
    assert read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="input") == read + 7
    assert read_metric("memoryplatform_provider_tokens_total", provider="openai", direction="output") == written + 3


@pytest.mark.parametrize(
    "raw",
    [b"", b"<html>a proxy</html>", b'{"choices": []}', b'{"choices": [{"message": {"content": [1]}}]}', b"\xff"],
    ids=["empty", "html", "no choice", "no text", "no utf-8"],
)
def test_a_body_that_is_no_completion_is_malformed_and_carried(llm_server: ScriptedLLM, raw: bytes) -> None:
    llm_server.chat.send_raw(raw)
    with pytest.raises(MalformedAnswer) as caught:
        make_llm(llm_server).complete(ASK)
    assert caught.value.raw == raw.decode("utf-8", "replace")
    assert caught.value.usage.calls == 1
    assert len(llm_server.chat.received) == 1


def test_a_model_that_declines_has_refused(llm_server: ScriptedLLM) -> None:
    choice = {"message": {"content": None, "refusal": "I can't help with that."}, "finish_reason": "stop"}
    llm_server.chat.send({"choices": [choice]})
    with pytest.raises(LLMRefused) as caught:
        make_llm(llm_server).complete(ASK)
    assert caught.value.detail == "I can't help with that."
    assert "help" not in str(caught.value)


def test_a_lone_surrogate_in_a_message_is_no_obstacle(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("yes")
    make_llm(llm_server).complete([ChatMessage("user", "broken \ud800 text")])
    assert llm_server.chat.received[0].prompt == "broken ? text"


def test_an_endpoint_that_wants_the_other_limit_field_gets_it_from_then_on(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(400, message="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    llm_server.chat.say("yes")
    llm_server.chat.say("yes")
    llm = make_llm(llm_server)
    llm.complete(ASK, max_tokens=5)
    llm.complete(ASK, max_tokens=5)
    fields = [sorted(set(request.body) - {"model", "messages"}) for request in llm_server.chat.received]
    assert fields == [["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"]]


def test_an_endpoint_that_takes_no_temperature_gets_none_from_then_on(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(400, message="Unsupported value: 'temperature' does not support 0.0 with this model.")
    llm_server.chat.say("yes")
    make_llm(llm_server).complete(ASK, temperature=0.0)
    assert ["temperature" in request.body for request in llm_server.chat.received] == [True, False]
