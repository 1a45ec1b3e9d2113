"""The model's answer to the question which entity a mention means, if names and companions leave it open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel

from banks.entities.resolution.identifier import Identified, NameQuestion
from banks.prompting import answer_all
from providers import tokens
from providers.llm.prompting.fence import bar, build_data_rule, fence, label
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import Number
from providers.llm.protocol import LLM, ChatMessage

TEXT_TOKENS = 300
SUMMARY_TOKENS = 80

SYSTEM = f"""\
You keep the register of people and things in the memory of an AI agent. Each numbered question gives you a mention, \
the text that contains it, and numbered candidates from the register. Say which candidate the mention means.

{build_data_rule("list of questions")}

- The mention means a candidate if the text and the facts about the candidate point to the same person or thing: a \
nickname, a short form, a former name, another spelling. A merely similar name is not enough.
- Different surnames, different numbers or versions, and two names side by side in the text are different entities.
- In doubt answer null: two entries can be merged later, a wrong merge can't be undone.

Answer with a JSON object: {{"answers": [{{"question": 1, "candidate": 2}}, {{"question": 2, "candidate": null}}]}}."""

CLOSING = "End of the questions. Answer each of them by the rules that you were given."


@dataclass(frozen=True)
class Identity:
    """The entity that a mention means; None for none of the candidates. Not `decided` if no answer came."""

    entity_id: UUID | None
    decided: bool = True


UNDECIDED = Identity(None, decided=False)


class AnsweredIdentity(BaseModel):
    question: Number = None
    candidate: Number = None


class DisambiguationAnswer(ListedAnswer):
    listed: ClassVar[str] = "answers"

    answers: list[AnsweredIdentity]


class LLMIdentifier:
    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def identify(self, questions: Sequence[NameQuestion]) -> Identified:
        meter = Meter(self._llm)
        answers = answer_all(questions, partial(ask, meter), undecided=UNDECIDED)
        identities = {
            question.name: answer.entity_id
            for question, answer in zip(questions, answers, strict=True)
            if answer.decided
        }
        return Identified(identities, meter.usage)


def ask(meter: Meter, questions: Sequence[NameQuestion]) -> list[Identity]:
    answer = meter.ask(DisambiguationAnswer, build_messages(questions))
    return [read_identity(answer, number, question) for number, question in enumerate(questions, start=1)]


def build_messages(questions: Sequence[NameQuestion]) -> list[ChatMessage]:
    lines = (line for number, question in enumerate(questions, start=1) for line in render(number, question))
    return [ChatMessage("system", SYSTEM), ChatMessage("user", f"{fence('questions', lines)}\n\n{CLOSING}")]


def render(number: int, question: NameQuestion) -> Iterator[str]:
    yield f"question {number}: who or what is {label(question.mention.name)} ({question.mention.kind}) in this text?"
    yield from bar(tokens.truncate(question.text, TEXT_TOKENS))
    for place, choice in enumerate(question.choices, start=1):
        aliases = "; ".join(label(alias) for alias in choice.aliases if alias.casefold() != choice.name.casefold())
        also = f", also known as {aliases}" if aliases else ""
        yield f"question {number}, candidate {place}: {label(choice.name)} ({choice.kind}){also}"
        if choice.summary:
            yield from bar(tokens.truncate(choice.summary, SUMMARY_TOKENS))


def read_identity(answer: DisambiguationAnswer, number: int, question: NameQuestion) -> Identity:
    """A question that the answer skips, or answers in two ways, stays undecided."""
    said = {one.candidate for one in answer.answers if one.question == number}
    if len(said) != 1:
        return UNDECIDED
    place = said.pop()
    if place is None:
        return Identity(None)
    in_range = 1 <= place <= len(question.choices)
    return Identity(question.choices[place - 1].id) if in_range else UNDECIDED
