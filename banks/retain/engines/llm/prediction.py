"""What a passage should contain, by what is known already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import BaseModel

from banks.retain.engines.llm.section import Section
from banks.retain.engines.llm.transcript import render_head, render_piece
from banks.retain.engines.protocol import KnownFact
from providers import tokens
from providers.llm.prompting.fence import bar, build_data_rule, fence
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.tolerance import Share, Text
from providers.llm.protocol import ChatMessage

UNSTATED_CERTAINTY = 0.5
KNOWN_TOKENS = 3_000
OPENING_TOKENS = 200

SYSTEM = f"""\
You help the memory of an AI agent to notice what is new. You are given what the memory knows, numbered, and how a \
passage begins: who takes part, when, and the topic. Foretell what the passage will turn out to say, from what is \
known.

{build_data_rule("passage")} The same holds for what is known.

Write up to 12 statements, each a full sentence with names, that the passage is likely to say or to take for granted. \
Rest each on what is known, not on the opening, and not on what anybody could guess. Where nothing known bears on the \
topic, answer with an empty list.
- statement: the sentence, in the language of what is known.
- certainty: from 0 to 1, how sure you are that it still holds.

Answer with a JSON object: {{"predictions": [...]}}."""

CLOSING = "Foretell the passage by the rules that you were given."


@dataclass(frozen=True)
class Prediction:
    statement: str
    certainty: float


class AnsweredPrediction(BaseModel):
    statement: Text = ""
    certainty: Share = None


class PredictionAnswer(ListedAnswer):
    listed: ClassVar[str] = "predictions"

    predictions: list[AnsweredPrediction]


def build_messages(section: Section, known: Sequence[KnownFact]) -> list[ChatMessage]:
    content = f"{render_known(known)}\n\n{render_opening(section)}\n\n{CLOSING}"
    return [ChatMessage("system", SYSTEM), ChatMessage("user", content)]


def read_answer(answer: PredictionAnswer) -> tuple[Prediction, ...]:
    return tuple(
        Prediction(one.statement, UNSTATED_CERTAINTY if one.certainty is None else one.certainty)
        for one in answer.predictions
        if one.statement
    )


def predict_the_known(known: Sequence[KnownFact]) -> tuple[Prediction, ...]:
    """The plainest forecast: what is known still holds."""
    return tuple(Prediction(fact.text, UNSTATED_CERTAINTY) for fact in known)


def choose_known(known: Sequence[KnownFact]) -> list[KnownFact]:
    """As many as fit into a prompt, the first ones first: the caller puts the nearest there."""
    chosen: list[KnownFact] = []
    left = KNOWN_TOKENS
    for fact in known:
        length = tokens.count(fact.text)
        if length <= left:
            chosen.append(fact)
            left -= length
    return chosen


def render_known(known: Sequence[KnownFact]) -> str:
    return fence("known", render_numbered("known", [fact.text for fact in known]))


def render_predictions(predictions: Sequence[Prediction]) -> str:
    return fence("forecast", render_numbered("forecast", [one.statement for one in predictions]))


def render_numbered(name: str, texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        yield f"{name} {number}:"
        yield from bar(text)


def render_opening(section: Section) -> str:
    """Who, when and the first words: enough to know the topic, too little to foretell by reading ahead."""
    first = section.pieces[0]
    opening = tokens.truncate(first.turn.text, OPENING_TOKENS)
    return fence("passage", [*render_head(section), *render_piece(section, 1, first.with_text(opening))])
