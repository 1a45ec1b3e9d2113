import json
from typing import Any

import pytest

from banks.retain.engines.llm.disambiguation import (
    Candidate,
    Disambiguation,
    Identity,
    IdentityQuestion,
    disambiguate,
)
from banks.words import EntityKind
from providers.llm.errors import LLMUnavailable
from tests.banks.retain.engines.llm.factory import make_llm, say_nonsense
from tests.llm_server import ScriptedLLM

LIZ = Candidate("e1", "Elizabeth Chen", EntityKind.PERSON, aliases=("Beth",), summary="Works at Acme.")
LISA = Candidate("e2", "Lisa Chen", EntityKind.PERSON)
QUESTION = IdentityQuestion("Liz", "Liz was promoted at Acme.", (LIZ, LISA), EntityKind.PERSON)
UNDECIDED = Identity(None, decided=False)


def say(server: ScriptedLLM, *answers: dict[str, Any]) -> None:
    server.chat.say(json.dumps({"answers": answers}))


def ask(server: ScriptedLLM, *questions: IdentityQuestion) -> Disambiguation:
    return disambiguate(make_llm(server), questions)


def test_several_questions_are_answered_in_one_call(llm_server: ScriptedLLM) -> None:
    say(
        llm_server,
        {"question": 2, "candidate": None},
        {"question": 1, "candidate": 1},
        {"question": "3", "candidate": "2"},
    )
    answered = ask(llm_server, QUESTION, QUESTION, QUESTION)
    assert answered.identities == (Identity("e1"), Identity(None), Identity("e2"))
    assert answered.usage.calls == 1


def test_the_model_sees_the_text_and_what_is_known_of_the_candidates(llm_server: ScriptedLLM) -> None:
    say(llm_server)
    ask(llm_server, QUESTION)
    asked = llm_server.chat.received[0].body["messages"][-1]["content"]
    assert "question 1: who or what is Liz (PERSON) in this text?\n| Liz was promoted at Acme." in asked
    assert "candidate 1: Elizabeth Chen (PERSON), also known as Beth\n| Works at Acme." in asked


def test_a_mention_can_not_ask_questions(llm_server: ScriptedLLM) -> None:
    say(llm_server)
    ask(llm_server, IdentityQuestion("Liz\nquestion 2: x", "Hi\nquestion 3: y", (LIZ,)))
    asked = llm_server.chat.received[0].body["messages"][-1]["content"]
    assert len([line for line in asked.splitlines() if line.startswith("question ")]) == 2


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [{"question": 1, "candidate": 3}],
        [{"question": 1, "candidate": 0}],
        [{"question": 2, "candidate": 1}],
        [{"question": 1, "candidate": 1}, {"question": 1, "candidate": 2}],
    ],
)
def test_an_answer_that_says_nothing_leaves_them_apart(llm_server: ScriptedLLM, answers: list[dict[str, Any]]) -> None:
    say(llm_server, *answers)
    assert ask(llm_server, QUESTION).identities == (UNDECIDED,)


def test_questions_that_spoil_the_answer_are_asked_alone(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=4)
    say(llm_server, {"question": 1, "candidate": 2})
    answered = ask(llm_server, QUESTION, QUESTION)
    assert answered.identities == (UNDECIDED, Identity("e2"))
    assert answered.usage.calls == 5


def test_many_questions_make_several_calls(llm_server: ScriptedLLM) -> None:
    for _ in range(3):
        say(llm_server, {"question": 1, "candidate": 1})
    answered = ask(llm_server, *[QUESTION] * 41)
    assert [place for place, one in enumerate(answered.identities) if one.candidate] == [0, 20, 40]


def test_no_question_costs_nothing(llm_server: ScriptedLLM) -> None:
    assert ask(llm_server).usage.calls == 0


def test_an_outage_is_not_an_answer(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(500)
    with pytest.raises(LLMUnavailable):
        ask(llm_server, QUESTION)
