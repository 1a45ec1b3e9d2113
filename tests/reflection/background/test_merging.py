"""Merging statements into a background: by a model, or appended verbatim."""

import json

import pytest

from providers.llm.errors import LLMRefused
from reflection.background import (
    MOST_CHARACTERS,
    NO_ROOM,
    USUAL_CHARACTERS,
    MergedBackground,
    append_statements,
    merge_statements,
)
from tests.banks.retain.llm.factory import make_llm
from tests.llm_server import ScriptedLLM
from tests.llm_server.script import Reply

NURSE = "I was born in Colorado. I work as a nurse."
LONG = " ".join(f"I like the number {number} and the colour c{number} very much." for number in range(100))


def merge(server: ScriptedLLM, background: str, *statements: str) -> MergedBackground:
    return merge_statements(background, statements, make_llm(server), name="Ada")


def test_the_model_s_text_is_stored_as_it_was_written(llm_server: ScriptedLLM) -> None:
    answer = "A Texan by birth, you nurse people - and love it."
    llm_server.chat.say(json.dumps({"background": answer}))

    merged = merge(llm_server, NURSE, "You were born in Texas.")

    assert (merged.text, merged.engine, merged.refused, merged.usage.calls) == (answer, "a-model", "", 1)
    [asked] = llm_server.chat.received
    assert all(text in asked.prompt for text in (f"| {NURSE}", "| You were born in Texas.", "| Ada"))


def test_a_long_background_may_stay_long(llm_server: ScriptedLLM) -> None:
    assert len(LONG) > USUAL_CHARACTERS
    llm_server.chat.say(json.dumps({"background": f"{LONG} I live in Rome."}))

    assert merge(llm_server, LONG, "I live in Rome.").text == f"{LONG} I live in Rome."


@pytest.mark.parametrize(
    "answer",
    [
        "I would rather not.",
        json.dumps({"background": "   "}),
        json.dumps({"background": ["I", "am"]}),
        json.dumps({"background": "I ramble on. " * 500}),
        Reply(status=400, payload={"error": {"message": "scripted", "code": "content_filter"}}),
    ],
)
def test_an_unusable_answer_appends_the_statement(llm_server: ScriptedLLM, answer: str | Reply) -> None:
    llm_server.chat.otherwise = lambda _: answer

    merged = merge(llm_server, NURSE, "You play chess.")

    assert (merged.text, merged.engine) == (f"{NURSE}\nYou play chess.", "builtin")


def test_a_refused_key_is_an_error(llm_server: ScriptedLLM) -> None:
    llm_server.chat.otherwise = lambda _: Reply(status=401, payload={"error": {"message": "scripted"}})

    with pytest.raises(LLMRefused):
        merge(llm_server, NURSE, "You play chess.")


def test_without_a_model_statements_are_appended_verbatim_and_once() -> None:
    merged = merge_statements(NURSE, ["You play chess.", NURSE, "You play chess.", "You play"], None, name="Ada")

    assert merged == MergedBackground(f"{NURSE}\nYou play chess.\nYou play")
    assert append_statements("", [" I am Ada. "]).text == "I am Ada."


def test_a_statement_without_room_is_refused() -> None:
    full = "a" * (MOST_CHARACTERS - 5)

    assert append_statements(full, ["More."]) == MergedBackground(full, refused=NO_ROOM)
    assert append_statements(full, ["More"]).text == f"{full}\nMore"
