"""Verdicts: a model judges how new facts bear on opinions, several opinions a call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, ClassVar, Protocol
from uuid import UUID

from pydantic import BaseModel, BeforeValidator

from banks.prompting import excerpt, write_moment
from providers.llm.prompting.fence import build_data_rule
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.tolerance import Flag, MaybeList, Number, Text, snake
from providers.llm.protocol import LLM
from providers.usage import Usage
from reflection.opinions.claims import LONGEST_REASONING, LONGEST_TEXT, Verdict
from reflection.opinions.model_calls import ask_model

SYSTEM = f"""\
You weigh evidence for the beliefs of an AI agent. Each numbered opinion of the agent comes with the confidence that \
it is held with, its reasoning, and numbered facts that became known after it was formed. Say for each fact how it \
bears on its opinion.

{build_data_rule("list of opinions and facts")}

- reinforce: the fact makes the opinion more likely to be right.
- weaken: the fact speaks against a part of it, or makes it less likely.
- contradict: if the fact is so, the opinion as it is worded can't be right.
- neutral: it has the same topic or name and decides nothing, or you are in doubt.
Judge by the fact alone: what somebody merely thinks or plans shows what they think or plan, not that it is so. The \
reason is one short sentence.

Where facts contradict an opinion, or show that it holds only under a condition, write as text how the agent should \
put it from now on: in the same voice and language, about as long, keeping what still holds and naming the limit. \
Otherwise text is empty. Take up nothing that is not in the opinion or its facts. reversed is true if the text says \
the opposite of the opinion, and false if it only limits it.

Answer with a JSON object: {{"opinions": [{{"opinion": 1, "verdicts": [{{"fact": 1, "verdict": "weaken", "reason": \
"..."}}], "text": "", "reversed": false}}]}}. Every fact gets a verdict."""

CLOSING = "Give a verdict on every fact."


@dataclass(frozen=True)
class NewFact:
    id: UUID
    text: str
    mentioned_at: datetime
    recorded_at: datetime


@dataclass(frozen=True)
class OpinionQuestion:
    """One opinion with the facts of a batch that may bear on it, the oldest first."""

    opinion_id: UUID
    text: str
    facts: tuple[NewFact, ...]
    confidence: float | None = None
    reasoning: str = ""

    @property
    def pairs(self) -> int:
        return len(self.facts)

    def render(self, number: int) -> Iterator[str]:
        held = "" if self.confidence is None else f", held with confidence {self.confidence:.2f}"
        yield f"opinion {number}{held}:"
        yield from excerpt(self.text).lines
        if self.reasoning:
            yield f"reasoning of opinion {number}:"
            yield from excerpt(self.reasoning).lines
        for place, fact in enumerate(self.facts, start=1):
            yield f"fact {place} on opinion {number}, told on {write_moment(fact.mentioned_at)}:"
            yield from excerpt(fact.text).lines


@dataclass(frozen=True)
class Assessment:
    """`verdicts` and `reasons` follow the facts of the question. A fact without a readable verdict has None.

    `text` is the new wording of the opinion; empty where it stays. `is_reversed`: it says the opposite.
    """

    verdicts: tuple[Verdict | None, ...]
    reasons: tuple[str, ...]
    text: str = ""
    is_reversed: bool = False

    @property
    def undecided(self) -> int:
        return self.verdicts.count(None)

    @property
    def changes_opinion(self) -> bool:
        return bool(set(self.verdicts) - {Verdict.NEUTRAL, None})


@dataclass(frozen=True)
class Assessments:
    """In the order of the questions."""

    assessments: tuple[Assessment, ...]
    usage: Usage = field(default_factory=Usage)


class Assessor(Protocol):
    """Thread-safe. Opinions and facts are data: nothing in them is an instruction."""

    @property
    def name(self) -> str:
        """The actor in the history of the opinions that it moves."""
        ...

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        """Call outside of transactions: a model may take its time."""
        ...


def find_verdict(value: object) -> Verdict | None:
    return next((one for one in Verdict if snake(value) in {one, f"{one}s"}), None)


class AnsweredVerdict(BaseModel):
    fact: Number = None
    verdict: Annotated[Verdict | None, BeforeValidator(find_verdict)] = None
    reason: Text = ""


class AnsweredOpinion(BaseModel):
    opinion: Number = None
    verdicts: Annotated[list[AnsweredVerdict], MaybeList] = []
    text: Text = ""
    reversed: Flag = False


class AssessmentAnswer(ListedAnswer):
    listed: ClassVar[str] = "opinions"

    opinions: list[AnsweredOpinion]


class LLMAssessor:
    """A verdict that can't be read is neutral and counted: a slip of the model moves no opinion."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        return self._llm.model_id

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        found, usage = ask_model(self._llm, (SYSTEM, CLOSING), AssessmentAnswer, questions, read_assessment)
        answered = zip(questions, found, strict=True)
        unread = AssessmentAnswer(opinions=[])
        return Assessments(tuple(one or read_assessment(unread, 1, question) for question, one in answered), usage)


def read_assessment(answer: AssessmentAnswer, number: int, question: OpinionQuestion) -> Assessment:
    said = next((one for one in answer.opinions if one.opinion == number), AnsweredOpinion())
    read = [read_verdict(said, place) for place in range(1, len(question.facts) + 1)]
    verdicts = tuple(verdict for verdict, _ in read)
    text = read_rewording(said.text, question, verdicts)
    is_reversed = bool(text) and said.reversed and Verdict.CONTRADICT in verdicts
    return Assessment(verdicts, tuple(reason for _, reason in read), text, is_reversed)


def read_verdict(said: AnsweredOpinion, place: int) -> tuple[Verdict | None, str]:
    one = next((one for one in said.verdicts if one.fact == place), None)
    return (one.verdict, one.reason[:LONGEST_REASONING]) if one else (None, "")


def read_rewording(text: str, question: OpinionQuestion, verdicts: Sequence[Verdict | None]) -> str:
    """The model's text as written, where a verdict speaks against an opinion that the model saw whole."""
    is_due = bool({Verdict.CONTRADICT, Verdict.WEAKEN}.intersection(verdicts)) and excerpt(question.text).is_whole
    return text if is_due and text != question.text and len(text) <= LONGEST_TEXT else ""
