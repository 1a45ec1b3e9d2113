import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from providers.llm.errors import LLMTimeout
from tests.clock import holds_to_a_time
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply
from tests.providers.llm.factory import ASK, make_llm


def test_no_more_calls_are_under_way_than_allowed(llm_server: ScriptedLLM) -> None:
    llm_server.chat.reply(Reply(text="yes", delay=0.05), times=8)
    llm = make_llm(llm_server, max_concurrency=2)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: llm.complete(ASK).text, range(8)))
    assert answers == ["yes"] * 8
    assert llm_server.busiest == 2


@holds_to_a_time
def test_waiting_for_a_slot_counts_against_the_timeout(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_late("yes", delay=2)
    llm = make_llm(llm_server, max_concurrency=1)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(llm.complete, ASK)
        time.sleep(0.1)
        started = time.monotonic()
        with pytest.raises(LLMTimeout, match="No slot"):
            llm.complete(ASK, timeout=0.2)
        assert time.monotonic() - started < 1.5
        assert first.result().text == "yes"
    assert len(llm_server.chat.received) == 1


@holds_to_a_time
def test_a_failed_call_frees_its_slot(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say_late("late", delay=0.3)
    llm_server.chat.say("yes")
    llm = make_llm(llm_server, max_concurrency=1)
    with pytest.raises(LLMTimeout):
        llm.complete(ASK, timeout=0.1)
    assert llm.complete(ASK, timeout=1).text == "yes"


@holds_to_a_time
def test_a_call_that_waits_for_its_retry_blocks_no_other(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(429, headers={"retry-after": "0.6"})
    llm_server.chat.otherwise = lambda _: "yes"
    llm = make_llm(llm_server, max_concurrency=1)
    with ThreadPoolExecutor(1) as pool:
        limited = pool.submit(llm.complete, ASK)
        time.sleep(0.2)
        assert llm.complete(ASK, timeout=0.3).text == "yes"
        assert limited.result().text == "yes"
