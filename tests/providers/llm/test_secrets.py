import logging
import traceback

import pytest

from providers.endpoint.limits import EndpointConfig
from providers.errors import ProviderError
from providers.llm.errors import StreamInterrupted
from providers.llm.protocol import ChatMessage
from tests.llm_server import ScriptedLLM
from tests.providers.llm.factory import ASK, KEY, make_llm


def describe(error: BaseException) -> str:
    """Everything that a log or an error report could show of an error, with its causes and attributes."""
    causes = [cause for cause in (error.__cause__, error.__context__) if cause is not None]
    own = ["".join(traceback.format_exception(error)), repr(error), str(vars(error))]
    return "\n".join([*own, *map(describe, causes)])


def holds_a_request(error: BaseException | None) -> bool:
    return error is not None and (
        hasattr(error, "request") or holds_a_request(error.__cause__) or holds_a_request(error.__context__)
    )


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_error_carries_the_key_though_the_endpoint_quotes_it(llm_server: ScriptedLLM, status: int) -> None:
    llm_server.chat.fail(status, message=f"Incorrect API key provided: {KEY}.")
    with pytest.raises(ProviderError) as caught:
        make_llm(llm_server, max_retries=0).complete(ASK)
    assert KEY not in describe(caught.value)
    assert not holds_a_request(caught.value)


def test_a_lost_connection_does_not_carry_the_request(llm_server: ScriptedLLM) -> None:
    llm_server.chat.drop("before")
    with pytest.raises(ProviderError) as caught:
        make_llm(llm_server, max_retries=0).complete(ASK)
    assert not holds_a_request(caught.value)


def test_an_interrupted_stream_does_not_carry_the_request(llm_server: ScriptedLLM) -> None:
    llm_server.chat.drop("stream")
    with pytest.raises(StreamInterrupted) as caught:
        list(make_llm(llm_server).stream(ASK))
    assert not holds_a_request(caught.value)


def test_the_configuration_does_not_show_its_key() -> None:
    assert KEY not in repr(EndpointConfig(base_url="http://localhost", api_key=KEY))


def test_nothing_of_a_conversation_is_logged_at_any_level(
    llm_server: ScriptedLLM, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    llm_server.chat.say("the secret answer")
    llm_server.chat.fail(400, message="Use 'max_completion_tokens' for the secret question")
    llm_server.chat.say("the secret answer")
    llm_server.chat.drop("stream", text="the secret answer " * 10)
    llm = make_llm(llm_server)
    question = [ChatMessage("user", "the secret question")]
    llm.complete(question)
    llm.complete(question, max_tokens=5)
    with pytest.raises(StreamInterrupted):
        list(llm.stream(question))
    assert "refused a parameter" in caplog.text
    assert "secret" not in caplog.text
    assert KEY not in caplog.text
