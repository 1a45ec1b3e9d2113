"""Merging by a model, and by rules where its answer would lose what was told."""

import json

import pytest

from reflection.background.builtin_merger import MOST_NEWS, TOO_LONG
from reflection.background.llm_merger import MOST_CHARACTERS, LLMMerger
from reflection.background.merger import MergedBackground, News
from tests.banks.retain.engines.llm.factory import make_llm
from tests.llm_server import ScriptedLLM

LONG = " ".join(f"I like the number {number} and the colour c{number} very much." for number in range(100))
SHORT = "I was born in Colorado and live in Denver. I like tea."


def merge(server: ScriptedLLM, background: str, news: str, answer: str) -> MergedBackground:
    server.chat.say(json.dumps({"background": answer}))
    return LLMMerger(make_llm(server)).merge(background, News((news,), "Ada"))


def test_a_background_that_is_longer_than_usual_can_be_merged_into(llm_server: ScriptedLLM) -> None:
    assert len(LONG) > MOST_CHARACTERS
    merged = merge(llm_server, LONG, "I live in Rome.", f"{LONG} I live in Rome.")
    assert (merged.text, merged.engine) == (f"{LONG} I live in Rome.", "")


@pytest.mark.parametrize("background", [LONG, SHORT, "\u6211\u5728\u7f57\u9a6c\u957f\u5927\u3002"])
@pytest.mark.parametrize("lazy", ["I am an agent.", "I live in Rome."])
def test_an_answer_that_loses_most_of_it_is_not_taken(llm_server: ScriptedLLM, background: str, lazy: str) -> None:
    merged = merge(llm_server, background, "I play chess.", lazy)
    assert merged.engine == "builtin"
    assert merged.text.endswith("I play chess.")
    assert len(merged.text) >= len(background) - 60
    assert merged.usage.calls == 1


def test_what_the_news_take_the_place_of_may_go(llm_server: ScriptedLLM) -> None:
    merged = merge(llm_server, "I was born in Colorado.", "I was born in Texas.", "I was born in Texas.")
    assert (merged.text, merged.engine) == ("I was born in Texas.", "")
    merged = merge(llm_server, "I am married to Tom.", "I am divorced.", "I am divorced.")
    assert (merged.text, merged.engine) == ("I am divorced.", "")
    merged = merge(llm_server, SHORT, "I moved to Rome.", "Born in Colorado, I moved to Rome, where I like tea.")
    assert merged.text == "Born in Colorado, I moved to Rome, where I like tea."


def test_a_model_that_rambles_is_not_taken(llm_server: ScriptedLLM) -> None:
    merged = merge(llm_server, SHORT, "I play chess.", f"{SHORT} I play chess. {'I ramble on. ' * 500}")
    assert (merged.text, merged.engine) == (f"{SHORT} I play chess.", "builtin")


def test_where_the_rules_refuse_the_news_they_are_refused(llm_server: ScriptedLLM) -> None:
    news = f"I care {'very ' * MOST_NEWS}much."
    merged = merge(llm_server, SHORT, news, "I am an agent.")
    assert (merged.text, merged.refused) == (SHORT, TOO_LONG)
