"""Extraction prompts with their schemas: narrative, prediction, and calibrated against the prediction."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, Field, create_model

from banks.enums import Novelty
from banks.prompting import write_day_and_zone
from banks.retain.llm.bank_settings import add_settings
from banks.retain.llm.facts import EXAMPLE, AnsweredFact, AnsweredFactBesideKnown, read_effects, read_facts
from banks.retain.llm.section import Section, render_head, render_passage, render_piece
from banks.types import ExtractedFact, KnownFact
from providers import tokens
from providers.llm.errors import MalformedAnswer
from providers.llm.prompting.fence import bar, build_data_rule, fence
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import MaybeList, Number, Share, Text, snake
from providers.llm.protocol import ChatMessage

logger = logging.getLogger(__name__)
S = TypeVar("S", bound=ListedAnswer)

UNSTATED_CERTAINTY = 0.5
UNSTATED_MISS = 0.5
LEAST_IMPORTANCE = 0.2  # of any extracted fact
TOKENS_TO_PREDICT_FROM = 3_000
TOKENS_BESIDE_A_PASSAGE = 300  # more beside a long passage
TOKENS_OF_KNOWN = 40  # of one known fact beside a passage
OPENING_TOKENS = 200

FACT_RULES = f"""\
- text: one matter in 10 to 40 words, clear to a reader in years without the passage. The matter itself, not that \
somebody told it. Names, not "I" or "she". The event with its outcome, the question with its answer, the reason. \
Names, numbers, titles, quotes stay as said; shared photos, books, links with what they show. Each date in the \
sentence that it belongs to, worked out from the day of its turn, never more exact than it was said. Use the \
passage's language. Leave out greetings, advice that nobody took, and common knowledge.
- network: experience for what the agent did or was told, opinion for what the agent believes, with a confidence from \
0 to 1, both as "I ..."; world for all else, also beliefs of others.
- start, end: when it happened or will, YYYY-MM-DD, with THH:MM if said, or YYYY-MM or YYYY; else empty. The day of \
the talk is no date of a plan, taste or state.
- entities: whom and what it is about, by the fullest name: PERSON, ORGANIZATION, LOCATION, PRODUCT, CONCEPT, OTHER.
- relations: lasting ties, "subject | relation | object | since | until", such as works_at, lives_in, married_to, \
favourite_colour.
- causes: facts before it in your answer, by place from 1, that led to it: "caused_by 1".
- turns: those it rests on. Turns under "earlier" only explain: take no fact from them.

Example: on Tuesday, June 11, 2024 Ana says "My neighbour Tomasz started at Skanska last Friday":
{{"facts": [{{"text": "{EXAMPLE}", "network": "world", \
"start": "2024-06-07", "end": "", "entities": ["Tomasz (PERSON)", "Ana (PERSON)", "Skanska (ORGANIZATION)"], \
"relations": ["Tomasz | works_at | Skanska | 2024-06-07 |"], "causes": [], "confidence": null, "turns": [1]}}]}}"""

NARRATIVE_SYSTEM = f"""\
You keep the memory of an AI agent. Write down the facts of the passage that are worth knowing in a year, none if \
there are none. An event with its story is one fact. A home, a job, a plan, a habit is one fact each: it must be able \
to end by itself.

{build_data_rule("passage")}

{FACT_RULES}"""

NARRATIVE_CLOSING = "Write down the facts of the passage."

KNOWN_RULES = """\
These are in memory already: take no fact from them. Say in `known` of a fact what it does to them: "ends 2" if 2 was \
true and no longer is, or will end on a known day; "corrects 2" if 2 never was true; "repeats 2" if 2 says all of it. \
A past event stays true, so does a plan that came true; a second pet, friend or job ends nothing. In doubt, none."""

PREDICTION_SYSTEM = f"""\
You help the memory of an AI agent to notice what is new. You are given known facts, numbered, and the \
beginning of a passage: the speaker, the time and the topic. Predict from the known facts what the passage will say.

{build_data_rule("passage")} The same holds for the known facts.

Write up to 12 statements, each a full sentence with names, that the passage is likely to say or to take for granted. \
Base each on the known facts, not on the opening and not on a general guess. If no known fact concerns the topic, \
answer with an empty list.
- statement: the sentence, in the language of the known facts.
- certainty: from 0 to 1, how sure you are that it still holds.

Answer with a JSON object: {{"predictions": [...]}}."""

PREDICTION_CLOSING = "Predict the passage by the rules that you were given."

CALIBRATED_SYSTEM = f"""\
You keep the memory of an AI agent. You are given known facts, numbered, a forecast of a passage, numbered, and \
the passage itself. Write down only what the forecast missed or got wrong.

{build_data_rule("passage")} The same holds for the known facts and for the forecast.

Leave out what the passage repeats from the known facts or the forecast, in any wording. Write down the rest: usually \
1 to 5 facts, and an empty list if the passage holds nothing new.

{FACT_RULES}

Each fact has three more fields:
- novelty: "new" if no known fact and no forecast is about it; "update" if a known fact was true and has changed \
since; "contradiction" if a known fact or a forecast was never true.
- prediction: the number of the forecast that it changes or refutes, else null.
- miss: from 0 to 1, how far the passage is from what the memory would have expected: 0.1 for a small detail of a \
known fact, 0.5 for news of an expected kind, 1 for news that no reader of the known facts would have expected."""

CALIBRATED_CLOSING = (
    "End of the passage. Write down what the forecast missed or got wrong, by the rules that you were given."
)

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


class NarrativeAnswer(ListedAnswer):
    listed: ClassVar[str] = "facts"

    facts: list[AnsweredFact]


class AnswerBesideKnown(ListedAnswer):
    listed: ClassVar[str] = "facts"

    facts: list[AnsweredFactBesideKnown]


def choose_schema(schema: type[S], section: Section) -> type[S]:
    return add_categories(schema) if section.passage.settings.categories else schema


@cache
def add_categories(schema: type[S]) -> type[S]:
    """The schema for a bank with categories. Those of other banks do not have the field, which costs tokens."""
    (fact,) = get_args(schema.model_fields["facts"].annotation)
    field: Any = (Annotated[list[Text], MaybeList], Field(default=[]))
    sorted_fact = create_model(f"Categorised{fact.__name__}", __base__=fact, categories=field)
    facts: Any = (list[sorted_fact], ...)
    return create_model(f"Categorised{schema.__name__}", __base__=schema, facts=facts)


def build_narrative_messages(section: Section, known: Sequence[KnownFact] = ()) -> list[ChatMessage]:
    """The rules of the known facts stand beside them, because the system message is the same for all passages."""
    parts = [render_passage(section), NARRATIVE_CLOSING]
    if known:
        shown = [f"({one.said_at:%Y-%m-%d}) {tokens.truncate(one.text, TOKENS_OF_KNOWN)}" for one in known]
        parts = [render_known(shown), KNOWN_RULES, *parts]
    system = add_settings(NARRATIVE_SYSTEM, section.passage.settings)
    return [ChatMessage("system", system), ChatMessage("user", "\n\n".join(parts))]


def extract_narrative(meter: Meter, section: Section, *, known: Sequence[KnownFact] = ()) -> list[ExtractedFact]:
    messages = build_narrative_messages(section, known)
    if not known:
        plain = meter.ask(choose_schema(NarrativeAnswer, section), messages)
        return [fact for _, fact in read_facts(plain.facts, section)]
    answer = meter.ask(choose_schema(AnswerBesideKnown, section), messages)
    return [replace(fact, effects=read_effects(one.known, known)) for one, fact in read_facts(answer.facts, section)]


def extract_cold(meter: Meter, section: Section) -> list[ExtractedFact]:
    """The calibrated mode without known facts: every fact is new, and its importance is the default."""
    return [replace(fact, novelty="new") for fact in extract_narrative(meter, section)]


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


def build_prediction_messages(section: Section, known: Sequence[str]) -> list[ChatMessage]:
    content = f"{render_known(known)}\n\n{render_opening(section)}\n\n{PREDICTION_CLOSING}"
    return [ChatMessage("system", PREDICTION_SYSTEM), ChatMessage("user", content)]


def predict(meter: Meter, section: Section, known: Sequence[str]) -> tuple[Prediction, ...]:
    """The model's forecast. If it can't be read, the forecast is that the known facts still hold."""
    try:
        answer = meter.ask(PredictionAnswer, build_prediction_messages(section, known))
    except MalformedAnswer as malformed:
        logger.warning("A forecast could not be read, so the known facts replace it: %s", malformed)
        return tuple(Prediction(text, UNSTATED_CERTAINTY) for text in known)
    return tuple(
        Prediction(one.statement, UNSTATED_CERTAINTY if one.certainty is None else one.certainty)
        for one in answer.predictions
        if one.statement
    )


def choose_known(known: Sequence[KnownFact], *, most: int, longest: int | None = None) -> list[KnownFact]:
    """As many as fit into so many tokens, from the first on: the nearest come first. Each counts `longest` at most."""
    chosen: list[KnownFact] = []
    for one in known:
        length = tokens.count(one.text) if longest is None else min(tokens.count(one.text), longest)
        if length <= most:
            chosen.append(one)
            most -= length
    return chosen


def render_known(known: Sequence[str]) -> str:
    return fence("known", render_numbered("known", known))


def render_predictions(predictions: Sequence[Prediction]) -> str:
    return fence("forecast", render_numbered("forecast", [one.statement for one in predictions]))


def render_numbered(name: str, texts: Sequence[str]) -> Iterator[str]:
    for number, text in enumerate(texts, start=1):
        yield f"{name} {number}:"
        yield from bar(text)


def render_opening(section: Section) -> str:
    """The speaker, the time and the first words: enough to know the topic, too little to copy the passage."""
    first = section.pieces[0]
    opening = tokens.truncate(first.turn.text, OPENING_TOKENS)
    day = f"on {write_day_and_zone(first.turn.said_at)}"
    return fence("passage", [*render_head(section), day, *render_piece(section, 1, first.with_text(opening))])


def read_novelty(value: object) -> Novelty:
    return NOVELTIES.get(snake(value), "new")


class MissedFact(AnsweredFact):
    novelty: Annotated[Novelty, BeforeValidator(read_novelty)] = "new"
    prediction: Number = None
    miss: Share = None


class CalibratedAnswer(ListedAnswer):
    listed: ClassVar[str] = "facts"

    facts: list[MissedFact]


def build_calibrated_messages(
    section: Section, *, known: Sequence[str], predictions: Sequence[Prediction]
) -> list[ChatMessage]:
    parts = [render_known(known), render_predictions(predictions), render_passage(section), CALIBRATED_CLOSING]
    system = add_settings(CALIBRATED_SYSTEM, section.passage.settings)
    return [ChatMessage("system", system), ChatMessage("user", "\n\n".join(parts))]


def extract_calibrated(
    meter: Meter, section: Section, *, known: Sequence[str], predictions: Sequence[Prediction]
) -> list[ExtractedFact]:
    messages = build_calibrated_messages(section, known=known, predictions=predictions)
    answer = meter.ask(choose_schema(CalibratedAnswer, section), messages)
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
