"""Is this mention one of these entities? Asked where names and company alone don't tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from pydantic import BaseModel

from banks.retain.engines.llm.batches import answer_all
from banks.words import EntityKind
from providers import tokens
from providers.llm.prompting.fence import bar, build_data_rule, fence, label
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import Number
from providers.llm.protocol import LLM, ChatMessage
from providers.usage import Usage

TEXT_TOKENS = 300
SUMMARY_TOKENS = 80

SYSTEM = f"""\
You keep the register of people and things in the memory of an AI agent. For each numbered question you are given a \
mention, the text that it stands in, and numbered candidates from the register. Say which candidate the mention means.

{build_data_rule("list of questions")}

- A candidate is meant if the text and what is known of the candidate point to the same one: a nickname, a short form, \
a former name, another spelling. A name that is merely alike is not enough.
- Different surnames, different numbers or versions, or two who appear side by side in the text are different.
- In doubt answer null: two entries can be joined later, a wrong join can't be undone.

Answer with a JSON object: {{"answers": [{{"question": 1, "candidate": 2}}, {{"question": 2, "candidate": null}}]}}."""

CLOSING = "End of the questions. Answer each of them by the rules that you were given."


@dataclass(frozen=True)
class Candidate:
    id: str
    name: str
    kind: EntityKind = EntityKind.OTHER
    aliases: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True)
class IdentityQuestion:
    """`text` is where the mention stands: the fact, or the turn."""

    mention: str
    text: str
    candidates: tuple[Candidate, ...]
    kind: EntityKind = EntityKind.OTHER


@dataclass(frozen=True)
class Identity:
    """The id of the candidate that is meant; None for none of them, or where no answer came (`decided` is false)."""

    candidate: str | None
    decided: bool = True


@dataclass(frozen=True)
class Disambiguation:
    """`identities` in the order of the questions."""

    identities: tuple[Identity, ...]
    usage: Usage


UNDECIDED = Identity(None, decided=False)


class AnsweredIdentity(BaseModel):
    question: Number = None
    candidate: Number = None


class DisambiguationAnswer(ListedAnswer):
    listed: ClassVar[str] = "answers"

    answers: list[AnsweredIdentity]


def disambiguate(llm: LLM, questions: Sequence[IdentityQuestion]) -> Disambiguation:
    meter = Meter(llm)
    identities = answer_all(questions, partial(ask, meter), undecided=UNDECIDED)
    return Disambiguation(tuple(identities), meter.usage)


def ask(meter: Meter, questions: Sequence[IdentityQuestion]) -> list[Identity]:
    return read_answer(meter.ask(DisambiguationAnswer, build_messages(questions)), questions)


def build_messages(questions: Sequence[IdentityQuestion]) -> list[ChatMessage]:
    lines = (line for number, question in enumerate(questions, start=1) for line in render(number, question))
    return [ChatMessage("system", SYSTEM), ChatMessage("user", f"{fence('questions', lines)}\n\n{CLOSING}")]


def render(number: int, question: IdentityQuestion) -> Iterator[str]:
    yield f"question {number}: who or what is {label(question.mention)} ({question.kind}) in this text?"
    yield from bar(tokens.truncate(question.text, TEXT_TOKENS))
    for place, candidate in enumerate(question.candidates, start=1):
        aliases = "; ".join(label(alias) for alias in candidate.aliases)
        also = f", also known as {aliases}" if aliases else ""
        yield f"question {number}, candidate {place}: {label(candidate.name)} ({candidate.kind}){also}"
        if candidate.summary:
            yield from bar(tokens.truncate(candidate.summary, SUMMARY_TOKENS))


def read_answer(answer: DisambiguationAnswer, questions: Sequence[IdentityQuestion]) -> list[Identity]:
    """A question that was passed over, or answered twice in different ways, is not decided."""
    return [read_identity(answer, number, question) for number, question in enumerate(questions, start=1)]


def read_identity(answer: DisambiguationAnswer, number: int, question: IdentityQuestion) -> Identity:
    said = {one.candidate for one in answer.answers if one.question == number}
    if len(said) != 1:
        return UNDECIDED
    place = said.pop()
    if place is None:
        return Identity(None)
    in_range = 1 <= place <= len(question.candidates)
    return Identity(question.candidates[place - 1].id) if in_range else UNDECIDED
