"""Calibrated extraction: keep what a forecast of the passage missed or got wrong.

Importance comes from the size of the miss, not from a judgement made up front.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import BeforeValidator

from banks.retain.engines.llm.answered_fact import AnsweredFact
from banks.retain.engines.llm.fact_rules import EARLIER_RULE, FACT_RULES
from banks.retain.engines.llm.prediction import Prediction, render_known, render_predictions
from banks.retain.engines.llm.reading import read_facts
from banks.retain.engines.llm.section import Section
from banks.retain.engines.llm.transcript import render_passage
from banks.retain.engines.protocol import KnownFact
from banks.retain.types import ExtractedFact
from banks.words import Novelty
from providers.llm.prompting.fence import build_data_rule
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.tolerance import Number, Share, snake
from providers.llm.protocol import ChatMessage

UNSTATED_MISS = 0.5
LEAST_IMPORTANCE = 0.2  # what was worth writing down at all is worth something

SYSTEM = f"""\
You keep the memory of an AI agent. You are given what the memory knows, numbered, a forecast of a passage, numbered, \
and the passage itself. Write down only what the forecast missed or got wrong.

{build_data_rule("passage")} The same holds for what is known and for the forecast.

{EARLIER_RULE}

What is known or foretold and is said again is left out, however it is worded. What is left is a fact: usually 1 to 5, \
and an empty list if the passage holds nothing new.

{FACT_RULES}

Each fact has three more fields:
- novelty: "new" if nothing known or foretold speaks of it; "update" if something known was true and has changed \
since; "contradiction" if something known or foretold was never so.
- prediction: the number of the forecast that it changes or refutes, else null.
- miss: from 0 to 1, how far the passage is from what the memory would have expected: 0.1 for a small detail of \
something known, 0.5 for news of an expected kind, 1 for what nobody who knew all this would have foreseen.

Answer with a JSON object: {{"facts": [...]}}."""

CLOSING = "End of the passage. Write down what the forecast missed or got wrong, by the rules that you were given."

NOVELTIES: dict[str, Novelty] = {
    "new": "new",
    "update": "update",
    "updated": "update",
    "change": "update",
    "changed": "update",
    "contradiction": "contradiction",
    "contradicts": "contradiction",
    "contradicted": "contradiction",
    "correction": "contradiction",
    "refuted": "contradiction",
}


def read_novelty(value: object) -> Novelty:
    return NOVELTIES.get(snake(value), "new")


class MissedFact(AnsweredFact):
    novelty: Annotated[Novelty, BeforeValidator(read_novelty)] = "new"
    prediction: Number = None
    miss: Share = None


class CalibratedAnswer(ListedAnswer):
    listed: ClassVar[str] = "facts"

    facts: list[MissedFact]


def build_messages(
    section: Section, *, known: Sequence[KnownFact], predictions: Sequence[Prediction]
) -> list[ChatMessage]:
    parts = [render_known(known), render_predictions(predictions), render_passage(section), CLOSING]
    return [ChatMessage("system", SYSTEM), ChatMessage("user", "\n\n".join(parts))]


def read_answer(
    answer: CalibratedAnswer, section: Section, *, predictions: Sequence[Prediction]
) -> list[ExtractedFact]:
    return [
        replace(fact, novelty=missed.novelty, importance=score_importance(missed, predictions))
        for missed, fact in read_facts(answer.facts, section)
    ]


def score_importance(missed: MissedFact, predictions: Sequence[Prediction]) -> float:
    """Importance = least + (1 - least) * size of the miss.

    A forecast that failed adds to the miss what it was sure of: 1 - (1 - miss) * (1 - certainty), so the importance
    grows with both.
    """
    size = UNSTATED_MISS if missed.miss is None else missed.miss
    if missed.novelty != "new" and missed.prediction and 1 <= missed.prediction <= len(predictions):
        size = 1 - (1 - size) * (1 - predictions[missed.prediction - 1].certainty)
    return LEAST_IMPORTANCE + (1 - LEAST_IMPORTANCE) * size
