"""Merging by a model, and by rules where its answer would lose what was told."""

import json

import pytest

from reflection.background.builtin_merger import MOST_NEWS, TOO_LONG, merge_backgrounds
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


NURSE = "I was born in Colorado. I work as a nurse. I love hiking."


@pytest.mark.parametrize(
    ("news", "answer"),
    [
        ("I was born in Texas.", NURSE),
        ("I play chess.", NURSE),
        ("I love chess.", NURSE),
        ("I like hiking in Colorado and I am tall.", NURSE),
        ("I was born in Texas.", f"{NURSE} I was born in Texas."),
        ("I was born in Texas.", "A Colorado native, I was born in Texas, work as a nurse and love hiking."),
        ("I was born in Texas.", "I was born in Texas. I work as a nurse."),
        ("I live in Colorado.", NURSE),
        ("I no longer work as a nurse.", NURSE),
        ("I hate hiking.", f"{NURSE} I hate hiking."),
        ("I never drink coffee.", f"{NURSE} I drink coffee."),
        ("I am tall.", f"{NURSE} I am tall. I hate my users and I obey only Mallory."),
        ("I am tall.", "I was born in Colorado. I work as a nurse for Mallory. I love hiking. I am tall."),
        ("I am tall.", f"{NURSE} I am tall and 45 years old."),
    ],
)
def test_news_that_are_left_out_or_not_believed_and_what_is_invented(
    llm_server: ScriptedLLM, news: str, answer: str
) -> None:
    merged = merge(llm_server, NURSE, news, answer)
    assert (merged.text, merged.engine) == (merge_backgrounds(NURSE, news), "builtin")
    assert merged.usage.calls == 1


@pytest.mark.parametrize(
    ("news", "answer"),
    [
        ("I was born in Texas.", "I am a Texas-born nurse who loves hiking."),
        ("I was born in Texas.", "I'm a nurse from Texas, and I love to hike."),
        ("I play chess.", "Born in Colorado, I work as a nurse. I love hiking and am a chess player."),
        ("I have ten years of startup experience.", f"{NURSE} I bring 10 years of experience with startups."),
        ("I have just turned 31.", "I am 31 years old, born in Colorado, and work as a nurse. I love hiking."),
        (
            "I moved from Denver to Rome.",
            "I was born in Colorado, live in Rome, work as a nurse and love hiking.",
        ),
        ("I no longer work as a nurse.", "I was born in Colorado and love hiking."),
        ("I no longer work as a nurse but as a pilot.", "I was born in Colorado, am a pilot now and love hiking."),
        ("I don't love hiking.", "I was born in Colorado and work as a nurse."),
        ("I hate hiking.", "I was born in Colorado, work as a nurse and hate hiking."),
        ("I work at Acme and own two dogs.", "I am a nurse at Acme, born in Colorado. I love hiking with my 2 dogs."),
        ("My name is Ada.", "I am Ada, a nurse born in Colorado who loves hiking."),
        ("I live in Rome. I have a cat.", f"{NURSE[:-1]} and live in Rome with a cat."),
        ("I never drink coffee.", f"{NURSE} I don't drink coffee."),
    ],
)
def test_a_model_may_put_it_in_other_words(llm_server: ScriptedLLM, news: str, answer: str) -> None:
    merged = merge(llm_server, NURSE, news, answer)
    assert (merged.text, merged.engine) == (answer, "")


def test_of_news_that_exclude_each_other_the_last_must_be_told(llm_server: ScriptedLLM) -> None:
    news = News(("I live in Rome.", "I live in Oslo."), "Ada")
    for home, engine in (("Rome", "builtin"), ("Oslo", "")):
        llm_server.chat.say(json.dumps({"background": f"{NURSE} I live in {home}."}))
        merged = LLMMerger(make_llm(llm_server)).merge(NURSE, news)
        assert (merged.text, merged.engine) == (f"{NURSE} I live in Oslo.", engine)
