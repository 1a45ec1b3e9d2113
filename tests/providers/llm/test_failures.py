import time

import pytest

from providers.endpoint.errors import EndpointError
from providers.endpoint.limits import RetryPolicy
from providers.llm.errors import LLMError, LLMRateLimited, LLMRefused, LLMTimeout, LLMUnavailable
from tests.clock import holds_to_a_time
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Cut
from tests.providers.llm.factory import ASK, make_llm
from tests.providers.sampled import read_metric


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_retried(llm_server: ScriptedLLM, status: int) -> None:
    llm_server.chat.fail(status, times=2)
    llm_server.chat.say("yes")
    assert make_llm(llm_server).complete(ASK).text == "yes"
    assert len(llm_server.chat.received) == 3


@pytest.mark.parametrize("cut", ["before", "body"])
def test_a_lost_connection_is_retried(llm_server: ScriptedLLM, cut: Cut) -> None:
    llm_server.chat.drop(cut)
    llm_server.chat.say("yes")
    assert make_llm(llm_server).complete(ASK).text == "yes"


def test_retries_end(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(500, times=9)
    with pytest.raises(LLMUnavailable, match="answered 500"):
        make_llm(llm_server, max_retries=2).complete(ASK)
    assert len(llm_server.chat.received) == 3


def test_every_try_is_counted_by_its_outcome(llm_server: ScriptedLLM) -> None:
    labels = {"provider": "openai", "kind": "chat", "outcome": "LLMRateLimited"}
    before = read_metric("memoryplatform_provider_calls_total", **labels)
    llm_server.chat.fail(429, times=2)
    llm_server.chat.say("yes")
    make_llm(llm_server).complete(ASK)
    assert read_metric("memoryplatform_provider_calls_total", **labels) == before + 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_retried(llm_server: ScriptedLLM, status: int) -> None:
    llm_server.chat.fail(status, message="The prompt about Alice is too long.")
    with pytest.raises(LLMRefused, match=f"answered {status}") as caught:
        make_llm(llm_server).complete(ASK)
    assert (caught.value.status, caught.value.code) == (status, f"scripted_{status}")
    assert caught.value.detail == "The prompt about Alice is too long."
    assert "Alice" not in str(caught.value)
    assert len(llm_server.chat.received) == 1


@holds_to_a_time
def test_retry_after_is_honoured(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(429, headers={"retry-after": "0.4"})
    llm_server.chat.say("yes")
    started = time.monotonic()
    make_llm(llm_server).complete(ASK)
    assert 0.4 <= time.monotonic() - started < 3


@holds_to_a_time
def test_a_retry_after_that_is_too_far_off_fails_at_once(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(429, headers={"retry-after": "120"})
    started = time.monotonic()
    with pytest.raises(LLMRateLimited) as caught:
        make_llm(llm_server).complete(ASK)
    assert caught.value.retry_after == 120
    assert time.monotonic() - started < 3


@holds_to_a_time
def test_a_retry_that_could_only_begin_after_the_timeout_is_not_waited_for(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(503, headers={"retry-after": "9"})
    started = time.monotonic()
    with pytest.raises(LLMUnavailable) as caught:
        make_llm(llm_server).complete(ASK, timeout=5)
    assert caught.value.retry_after == 9
    assert time.monotonic() - started < 3


@holds_to_a_time
def test_an_answer_that_is_late_is_a_timeout_and_not_asked_for_again(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_late("yes", delay=5)
    started = time.monotonic()
    with pytest.raises(LLMTimeout):
        make_llm(llm_server).complete(ASK, timeout=0.2)
    assert time.monotonic() - started < 3
    assert len(llm_server.chat.received) == 1


@holds_to_a_time
def test_blank_lines_do_not_stretch_the_timeout(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_slowly("yes", trickle=0.1)
    started = time.monotonic()
    with pytest.raises(LLMTimeout):
        make_llm(llm_server).complete(ASK, timeout=0.3)
    assert time.monotonic() - started < 3


def test_blank_lines_before_an_answer_in_time_are_no_obstacle(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_slowly("yes", trickle=0.002)
    assert make_llm(llm_server).complete(ASK).text == "yes"


def test_no_server_is_unavailable() -> None:
    with ScriptedLLM() as server:
        llm = make_llm(server, max_retries=1)
    with pytest.raises(LLMUnavailable, match="could not be reached"):
        llm.complete(ASK)


def test_the_errors_can_be_caught_by_either_tree() -> None:
    for error in (LLMUnavailable, LLMTimeout, LLMRateLimited, LLMRefused):
        assert issubclass(error, LLMError)
        assert issubclass(error, EndpointError)


def test_the_default_policy_takes_its_retries_from_the_configuration() -> None:
    assert RetryPolicy(max_retries=1).find_wait(1, None) is None
