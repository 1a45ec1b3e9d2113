"""A second model takes over while the first one fails, and only then."""

from collections.abc import Iterator
from time import monotonic

import pytest

from providers.endpoint.limits import EndpointConfig
from providers.llm import fallback
from providers.llm.errors import LLMRefused, LLMTimeout, StreamInterrupted
from providers.llm.fallback import FAILURES, PAUSE_SECONDS, FallbackLLM
from providers.llm.openai import OpenAILLM
from providers.llm.protocol import ChatMessage, StreamEnd, TextDelta
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply

ASK = [ChatMessage("user", "Hello")]
DOWN = Reply(status=503)


@pytest.fixture
def first() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def second() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        server.chat.otherwise = lambda _: "second"
        yield server


@pytest.fixture
def llm(first: ScriptedLLM, second: ScriptedLLM) -> FallbackLLM:
    def build(server: ScriptedLLM, model: str) -> OpenAILLM:
        return OpenAILLM(EndpointConfig(server.url, max_retries=0, timeout_seconds=5), model=model)

    return FallbackLLM(build(first, "large"), build(second, "small"))


def test_the_first_model_serves_while_it_answers(llm: FallbackLLM, first: ScriptedLLM, second: ScriptedLLM) -> None:
    first.chat.otherwise = lambda _: "first"
    assert (llm.complete(ASK).text, llm.model_id, second.chat.received) == ("first", "large", [])


@pytest.mark.parametrize("status", [503, 429, 500])
def test_a_failure_goes_to_the_second_model(llm: FallbackLLM, first: ScriptedLLM, status: int) -> None:
    first.chat.otherwise = lambda _: Reply(status=status)
    answer = llm.complete(ASK)
    assert (answer.text, answer.usage.models[0].model) == ("second", "small")


def test_a_refusal_is_an_answer(llm: FallbackLLM, first: ScriptedLLM, second: ScriptedLLM) -> None:
    first.chat.otherwise = lambda _: Reply(status=401)
    with pytest.raises(LLMRefused):
        llm.complete(ASK)
    assert second.chat.received == []


def test_after_failures_in_a_row_the_first_model_rests(
    llm: FallbackLLM, first: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    first.chat.otherwise = lambda _: DOWN
    for _ in range(FAILURES + 2):
        llm.complete(ASK)
    assert len(first.chat.received) == FAILURES
    first.chat.otherwise = lambda _: "first"
    later = monotonic() + PAUSE_SECONDS
    monkeypatch.setattr(fallback, "monotonic", lambda: later)
    assert llm.complete(ASK).text == "first"


def test_an_answer_between_two_failures_starts_the_count_again(llm: FallbackLLM, first: ScriptedLLM) -> None:
    for reply in [DOWN, DOWN, Reply(text="first"), DOWN, DOWN, Reply(text="first")]:
        first.chat.reply(reply)
        llm.complete(ASK)
    assert len(first.chat.received) == 6


def test_a_time_limit_covers_both_models(llm: FallbackLLM, first: ScriptedLLM, second: ScriptedLLM) -> None:
    first.chat.otherwise = lambda _: Reply(text="late", delay=1.0)
    with pytest.raises(LLMTimeout):
        llm.complete(ASK, timeout=0.2)
    assert second.chat.received == []


def test_a_stream_changes_the_model_only_before_its_first_word(llm: FallbackLLM, first: ScriptedLLM) -> None:
    first.chat.otherwise = lambda _: DOWN
    events = list(llm.stream(ASK))
    assert "".join(one.text for one in events if isinstance(one, TextDelta)) == "second"
    assert isinstance(events[-1], StreamEnd)
    first.chat.otherwise = lambda _: Reply(text="One two three.", cut="stream")
    with pytest.raises(StreamInterrupted):
        list(llm.stream(ASK))
