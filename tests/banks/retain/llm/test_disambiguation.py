import json
from typing import Any
from uuid import UUID

import pytest

from banks.entities.resolution.identifier import Choice, Identified, NameQuestion
from banks.entities.types import MentionOf
from banks.enums import EntityKind
from banks.retain.llm.disambiguation import LLMIdentifier
from providers.llm.errors import LLMUnavailable
from tests.banks.retain.llm.factory import SUNDAY, make_llm, say_nonsense
from tests.llm_server import ScriptedLLM

LIZ = Choice(UUID(int=1), "Elizabeth Chen", EntityKind.PERSON, aliases=("Beth",), summary="Works at Acme.")
LISA = Choice(UUID(int=2), "Lisa Chen", EntityKind.PERSON, aliases=(), summary="")


def make_question(name: str = "Liz", text: str = "Liz was promoted at Acme.") -> NameQuestion:
    return NameQuestion(MentionOf(name, EntityKind.PERSON, frozenset(), SUNDAY), text, (LIZ, LISA))


QUESTION = make_question()


def say(server: ScriptedLLM, *answers: dict[str, Any]) -> None:
    server.chat.say(json.dumps({"answers": answers}))


def ask(server: ScriptedLLM, *questions: NameQuestion) -> Identified:
    return LLMIdentifier(make_llm(server)).identify(questions)


def test_several_questions_are_answered_in_one_call(llm_server: ScriptedLLM) -> None:
    say(
        llm_server,
        {"question": 2, "candidate": None},
        {"question": 1, "candidate": 1},
        {"question": "3", "candidate": "2"},
    )
    first, second, third = make_question("Liz"), make_question("Beth"), make_question("Lisa")
    answered = ask(llm_server, first, second, third)
    assert answered.identities == {first.name: LIZ.id, second.name: None, third.name: LISA.id}
    assert answered.usage.calls == 1


def test_the_model_sees_the_text_and_the_facts_of_the_candidates(llm_server: ScriptedLLM) -> None:
    say(llm_server)
    ask(llm_server, QUESTION)
    asked = llm_server.chat.received[0].body["messages"][-1]["content"]
    assert "question 1: who or what is Liz (PERSON) in this text?\n| Liz was promoted at Acme." in asked
    assert "candidate 1: Elizabeth Chen (PERSON), also known as Beth\n| Works at Acme." in asked


def test_a_mention_can_not_ask_questions(llm_server: ScriptedLLM) -> None:
    say(llm_server)
    ask(llm_server, make_question("Liz\nquestion 2: x", "Hi\nquestion 3: y"))
    asked = llm_server.chat.received[0].body["messages"][-1]["content"]
    assert len([line for line in asked.splitlines() if line.startswith("question ")]) == 3


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
    assert ask(llm_server, QUESTION).identities == {}


def test_questions_that_spoil_the_answer_are_asked_alone(llm_server: ScriptedLLM) -> None:
    say_nonsense(llm_server, answers=4)
    say(llm_server, {"question": 1, "candidate": 2})
    other = make_question("Lisa")
    answered = ask(llm_server, QUESTION, other)
    assert answered.identities == {other.name: LISA.id}
    assert answered.usage.calls == 5


def test_many_questions_make_several_calls(llm_server: ScriptedLLM) -> None:
    for _ in range(3):
        say(llm_server, {"question": 1, "candidate": 1})
    questions = [make_question(f"Liz {'abcdefg'[number // 7]}{'abcdefg'[number % 7]}") for number in range(41)]
    answered = ask(llm_server, *questions)
    assert list(answered.identities) == [questions[place].name for place in (0, 20, 40)]


def test_no_question_costs_nothing(llm_server: ScriptedLLM) -> None:
    assert ask(llm_server).usage.calls == 0


def test_an_outage_is_not_an_answer(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(500)
    with pytest.raises(LLMUnavailable):
        ask(llm_server, QUESTION)
