"""A model finds statements about the agent in the messages that people sent to it."""

import json

from reflection.background import MOST_CHARACTERS, MOST_STATEMENTS, find_statements
from tests.banks.retain.llm.factory import make_llm
from tests.llm_server import ScriptedLLM


def answer(server: ScriptedLLM, *statements: str) -> None:
    server.chat.say(json.dumps({"statements": list(statements)}))


def test_the_model_s_statements_are_taken_as_they_are(llm_server: ScriptedLLM) -> None:
    answer(llm_server, "I was born in Texas.", " ", "I was born in Texas.")

    found = find_statements(["You were born in Texas.", "You met Bob."], make_llm(llm_server), name="Ada")

    assert (found.texts, found.usage.calls) == (("I was born in Texas.",), 1)
    [asked] = llm_server.chat.received
    assert all(text in asked.prompt for text in ("| You were born in Texas.", "| You met Bob.", "| Ada"))


def test_without_messages_the_model_is_not_asked(llm_server: ScriptedLLM) -> None:
    assert find_statements(["", " \n"], make_llm(llm_server), name="Ada").texts == ()
    assert llm_server.chat.received == []


def test_the_newest_statements_and_messages_count(llm_server: ScriptedLLM) -> None:
    answer(llm_server, *(f"I like the number {number}." for number in range(MOST_STATEMENTS + 5)))
    texts = ["You are old.", "a" * MOST_CHARACTERS, "You are new."]

    found = find_statements(texts, make_llm(llm_server), name="")

    assert found.texts[0] == "I like the number 5."
    assert len(found.texts) == MOST_STATEMENTS
    [asked] = llm_server.chat.received
    assert "| You are old.\n" in asked.prompt
    assert "aaaa" not in asked.prompt
