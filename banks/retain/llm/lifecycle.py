"""The model's decision about a new fact beside the candidates that the memory holds."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from banks.lifecycle.candidates import KnownUnit
from banks.lifecycle.decisions import Action, Decision, Decisions, LifecycleQuestion, Reason
from banks.prompting import answer_all, describe_occurrence, excerpt
from providers.llm.prompting.fence import build_data_rule, fence, label
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import Number, Numbers, Text, snake
from providers.llm.protocol import LLM, ChatMessage
from timewords.rendering import write_day_of_week

BATCH = 8  # facts, each with its candidates
MOST_RELATIONS = 3  # of one fact

SYSTEM = f"""\
You keep the memory of an AI agent in order. You are given known facts of the memory, and new facts, each with the \
numbers of the known facts that are its candidates. In brackets stand the day on which each was said, when it happened \
or will, and what it states as "subject | relation | object". Decide what becomes of each new fact.

{build_data_rule("list of facts")}

- ADD: it says something that no candidate says. The same kind of event on another day, with another person or in \
another place is something else. A past event stays true, so a later event does not undo it.
- NONE: one candidate already says all of it. targets names that one.
- MERGE: it adds a detail to one candidate about the same matter. targets names that one. text says both in one, in \
their language, with every name, number and date of either.
- UPDATE: candidates can't be true now together with it. targets names them. reason is "changed" if they were true \
until the world changed, or will be until a known date; "wrong" if they never were true.
text is empty except for MERGE, reason except for UPDATE. A plan that came true is ADD. In doubt choose ADD.

Examples
- new "Mia moved to Oslo in May", candidate 1 "Mia lives in Bergen": UPDATE, targets [1], reason "changed".
- new "Mia has a cat", candidate 1 "Mia has a dog": ADD.
- new "Mia's dog Bolt is three years old", candidate 1 "Mia has a dog called Bolt": MERGE, targets [1], text "Mia has \
a dog called Bolt, who is three years old."
- new "Mia works as a nurse", candidate 1 "Mia, a nurse, started at the clinic in 2020": NONE, targets [1].

Answer with a JSON object: {{"decisions": [{{"fact": 1, "action": "UPDATE", "targets": [2], "reason": "changed", \
"text": ""}}]}}."""

CLOSING = "Decide on each new fact."


ACTIONS = {
    "add": Action.ADD,
    "new": Action.ADD,
    "merge": Action.MERGE,
    "update": Action.INVALIDATE,
    "invalidate": Action.INVALIDATE,
    "delete": Action.INVALIDATE,
    "supersede": Action.INVALIDATE,
    "replace": Action.INVALIDATE,
    "none": Action.NONE,
    "noop": Action.NONE,
    "duplicate": Action.NONE,
}
ANSWERED_ACTIONS = {"type": "string", "enum": ["ADD", "NONE", "MERGE", "UPDATE"]}  # the words of the prompt
CORRECTIONS = ("correct", "wrong", "never", "false")


def find_action(value: object) -> Action | None:
    return ACTIONS.get(snake(value))


class AnsweredDecision(BaseModel):
    fact: Number = None
    action: Annotated[Action | None, BeforeValidator(find_action), WithJsonSchema(ANSWERED_ACTIONS)] = None
    targets: Numbers = []
    reason: Text = ""
    text: Text = ""


class LifecycleAnswer(ListedAnswer):
    listed: ClassVar[str] = "decisions"

    decisions: list[AnsweredDecision]


def decide(llm: LLM, questions: Sequence[LifecycleQuestion]) -> Decisions:
    """A fact without candidates is added without asking."""
    open_questions = [question for question in questions if question.candidates]
    meter = Meter(llm)
    answered = iter(
        answer_all(
            open_questions, partial(ask, meter), undecided=Decision(), size=BATCH, count_characters=count_characters
        )
    )
    decisions = tuple(next(answered) if question.candidates else Decision() for question in questions)
    return Decisions(decisions, meter.usage)


def count_characters(question: LifecycleQuestion) -> int:
    return sum(len(message.content) for message in build_messages([question])) - len(SYSTEM)


def ask(meter: Meter, questions: Sequence[LifecycleQuestion]) -> list[Decision]:
    return read_answer(meter.ask(LifecycleAnswer, build_messages(questions)), questions)


def build_messages(questions: Sequence[LifecycleQuestion]) -> list[ChatMessage]:
    """A known fact stands once, however many new facts have it as a candidate."""
    places = number_candidates(questions)
    known = {fact.id: fact for question in questions for fact in question.candidates}
    lines = [line for fact in known.values() for line in render_known(places[fact.id], fact)]
    lines += [line for number, one in enumerate(questions, start=1) for line in render_new(number, one, places)]
    return [ChatMessage("system", SYSTEM), ChatMessage("user", f"{fence('facts', lines)}\n\n{CLOSING}")]


def number_candidates(questions: Sequence[LifecycleQuestion]) -> dict[UUID, int]:
    ids = dict.fromkeys(fact.id for question in questions for fact in question.candidates)
    return {unit_id: number for number, unit_id in enumerate(ids, start=1)}


def render_known(number: int, fact: KnownUnit) -> Iterator[str]:
    yield f"known {number} ({describe(fact)}):"
    yield from excerpt(fact.text).lines


def render_new(number: int, question: LifecycleQuestion, places: Mapping[UUID, int]) -> Iterator[str]:
    candidates = ", ".join(str(places[fact.id]) for fact in question.candidates)
    yield f"new fact {number} ({describe(question)}), candidates {candidates}:"
    yield from excerpt(question.text).lines


def describe(fact: LifecycleQuestion | KnownUnit) -> str:
    """The days and the relations of a fact."""
    parts = [f"said {write_day_of_week(fact.mentioned_at)}"]
    if fact.occurred_start:
        parts.append(f"happened {describe_occurrence(fact.occurred_start, fact.occurred_end)}")
    parts += [" | ".join(map(label, relation.split("|"))) for relation in fact.relations[:MOST_RELATIONS]]
    return "; ".join(parts)


def read_answer(answer: LifecycleAnswer, questions: Sequence[LifecycleQuestion]) -> list[Decision]:
    places = number_candidates(questions)
    return [read_decision(answer, number, question, places) for number, question in enumerate(questions, start=1)]


def read_decision(
    answer: LifecycleAnswer, number: int, question: LifecycleQuestion, places: Mapping[UUID, int]
) -> Decision:
    """The fact is added if the answer is no usable decision: that loses nothing."""
    said = next((one for one in answer.decisions if one.fact == number), None)
    if said is None or said.action is None:
        return Decision()
    if said.action is Action.ADD:
        return Decision()
    by_place = {places[fact.id]: fact for fact in question.candidates}
    targets = [by_place[place] for place in dict.fromkeys(said.targets) if place in by_place]
    if not targets:
        return Decision()
    if said.action is Action.INVALIDATE:
        return Decision(said.action, tuple(targets), reason=read_reason(said.reason))
    is_merge = said.action is Action.MERGE
    needed = [question.text, targets[0].text] if is_merge else [question.text]
    if not all(excerpt(text).is_whole for text in needed):
        return Decision()  # the text that the model did not see would be lost
    return Decision(said.action, (targets[0],), text=said.text if is_merge else "")


def read_reason(text: str) -> Reason:
    """An update by default: it keeps the older fact true for its own time."""
    return "correction" if snake(text).startswith(CORRECTIONS) else "update"


class LLMJudge:
    """Asks the model about every fact that has candidates."""

    needs_candidates = True

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        return self._llm.model_id

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        return decide(self._llm, questions)
