"""Verdicts by an LLM: several opinions a call, each with the facts that may bear on it."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator

from banks.retain.engines.llm.excerpt import CALL_CHARACTERS, excerpt, measure
from banks.retain.engines.llm.transcript import describe_moment
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.llm.prompting.fence import build_data_rule, fence
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import MaybeList, Number, Text, snake
from providers.llm.protocol import LLM, ChatMessage
from reflection.opinions.forming.cleaning import LONGEST_REASONING, LONGEST_TEXT
from reflection.opinions.types import Verdict
from reflection.opinions.weighing.assessing import Assessment, Assessments, OpinionQuestion, leave_undecided
from reflection.opinions.wording.no_opinion import is_no_opinion
from reflection.opinions.wording.voice import turn_to_first_person

logger = logging.getLogger(__name__)

Asking = Callable[[Sequence[OpinionQuestion]], list[Assessment | None]]

PAIRS_A_CALL = 20

SYSTEM = f"""\
You weigh evidence for the beliefs of an AI agent. Each numbered opinion of the agent comes with numbered facts that \
became known after it was formed. Say for each fact how it bears on its opinion.

{build_data_rule("list of opinions and facts")}

- reinforce: the fact makes the opinion more likely to be right.
- weaken: the fact speaks against a part of it, or makes it less likely.
- contradict: if the fact is so, the opinion as it is worded can't be right.
- neutral: it has the same topic or name and decides nothing, or you are in doubt.
Judge by the fact alone: what somebody merely thinks or plans shows what they think or plan, not that it is so. The \
reason is one short sentence.

Where facts contradict an opinion, or show that it holds only under a condition, write as text how the agent should \
put it from now on: in the same voice and language, about as long, keeping what still holds and naming the limit. \
Otherwise text is empty. Take up nothing that is not in the opinion or its facts.

Answer with a JSON object: {{"opinions": [{{"opinion": 1, "verdicts": [{{"fact": 1, "verdict": "weaken", "reason": \
"..."}}], "text": ""}}]}}. Every fact gets a verdict."""

CLOSING = "End of the list. Give a verdict on every fact by the rules that you were given."

VERDICTS = {
    "reinforce": Verdict.REINFORCE,
    "reinforces": Verdict.REINFORCE,
    "support": Verdict.REINFORCE,
    "supports": Verdict.REINFORCE,
    "weaken": Verdict.WEAKEN,
    "weakens": Verdict.WEAKEN,
    "contradict": Verdict.CONTRADICT,
    "contradicts": Verdict.CONTRADICT,
    "refute": Verdict.CONTRADICT,
    "refutes": Verdict.CONTRADICT,
    "neutral": Verdict.NEUTRAL,
    "unrelated": Verdict.NEUTRAL,
    "none": Verdict.NEUTRAL,
}


def find_verdict(value: object) -> Verdict | None:
    return VERDICTS.get(snake(value))


class AnsweredVerdict(BaseModel):
    fact: Number = None
    verdict: Annotated[Verdict | None, BeforeValidator(find_verdict)] = None
    reason: Text = ""


class AnsweredOpinion(BaseModel):
    opinion: Number = None
    verdicts: Annotated[list[AnsweredVerdict], MaybeList] = []
    text: Text = ""


class AssessmentAnswer(ListedAnswer):
    listed: ClassVar[str] = "opinions"

    opinions: list[AnsweredOpinion]


class LLMAssessor:
    """What it can't read stays neutral and is told: an opinion is not moved by a slip of the pen.

    An answer in another form than was asked for is shown to the model once, with its faults. After that its pairs are
    left undecided: asked in smaller parts, such a model costs many calls and answers as before.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        return self._llm.model_id

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        meter = Meter(self._llm)
        ask_about = partial(ask, meter)
        found: list[Assessment | None] = []
        for batch in build_batches(questions):
            found += answer(batch, ask_about)
        return Assessments(
            tuple(
                leave_undecided(question) if one is None else one
                for question, one in zip(questions, found, strict=True)
            ),
            meter.usage,
        )


def answer(batch: Sequence[OpinionQuestion], ask_about: Asking) -> list[Assessment | None]:
    """In halves where the content or its length was refused, down to the one that is refused."""
    try:
        return ask_about(batch)
    except MalformedAnswer as failure:
        if not failure.truncated:
            logger.warning("Verdicts on %d opinions could not be read: %s", len(batch), failure)
            return [None] * len(batch)
    except LLMRefused as failure:
        if not concerns_content(failure):
            raise
    if len(batch) == 1:
        return [None]
    middle = len(batch) // 2
    return [*answer(batch[:middle], ask_about), *answer(batch[middle:], ask_about)]


def build_batches(questions: Sequence[OpinionQuestion]) -> Iterator[list[OpinionQuestion]]:
    """In order, at most so many pairs and characters a call.

    An opinion's facts stay together, so that one text answers them all.
    """
    batch: list[OpinionQuestion] = []
    pairs = filled = 0
    for question in questions:
        characters = measure(render(PAIRS_A_CALL, question))
        if batch and (pairs + len(question.facts) > PAIRS_A_CALL or filled + characters > CALL_CHARACTERS):
            yield batch
            batch, pairs, filled = [], 0, 0
        batch.append(question)
        pairs += len(question.facts)
        filled += characters
    if batch:
        yield batch


def ask(meter: Meter, questions: Sequence[OpinionQuestion]) -> list[Assessment | None]:
    answer = meter.ask(AssessmentAnswer, build_messages(questions))
    return [read_assessment(answer, number, question) for number, question in enumerate(questions, start=1)]


def build_messages(questions: Sequence[OpinionQuestion]) -> list[ChatMessage]:
    lines = (line for number, question in enumerate(questions, start=1) for line in render(number, question))
    return [ChatMessage("system", SYSTEM), ChatMessage("user", f"{fence('beliefs', lines)}\n\n{CLOSING}")]


def render(number: int, question: OpinionQuestion) -> Iterator[str]:
    yield f"opinion {number}:"
    yield from excerpt(question.text).lines
    for place, fact in enumerate(question.facts, start=1):
        yield f"fact {place} on opinion {number}, told on {describe_moment(fact.mentioned_at)}:"
        yield from excerpt(fact.text).lines


def read_assessment(answer: AssessmentAnswer, number: int, question: OpinionQuestion) -> Assessment | None:
    said = next((one for one in answer.opinions if one.opinion == number), None)
    if said is None:
        return None
    read = [read_verdict(said, place) for place in range(1, len(question.facts) + 1)]
    verdicts = tuple(verdict or Verdict.NEUTRAL for verdict, _ in read)
    undecided = tuple(place for place, (verdict, _) in enumerate(read) if verdict is None)
    text = read_rewording(said.text, question, verdicts)
    return Assessment(verdicts, tuple(reason for _, reason in read), text, undecided)


def read_verdict(said: AnsweredOpinion, place: int) -> tuple[Verdict | None, str]:
    one = next((one for one in said.verdicts if one.fact == place), None)
    return (one.verdict, one.reason[:LONGEST_REASONING]) if one else (None, "")


def read_rewording(text: str, question: OpinionQuestion, verdicts: Sequence[Verdict]) -> str:
    """Only with a verdict that speaks against what was shown whole, and only what may stand as an opinion."""
    if (
        not {Verdict.CONTRADICT, Verdict.WEAKEN}.intersection(verdicts)
        or text == question.text
        or not excerpt(question.text).is_whole
        or len(text) > LONGEST_TEXT
        or is_no_opinion(text)
    ):
        return ""
    return turn_to_first_person(text) or ""
