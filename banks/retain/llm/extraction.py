"""Extraction prompts with their schemas: narrative, prediction, and calibrated against the prediction."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import BaseModel, BeforeValidator

from banks.enums import Novelty
from banks.retain.llm.facts import AnsweredFact, read_facts
from banks.retain.llm.section import Section, render_head, render_passage, render_piece
from banks.types import ExtractedFact
from providers import tokens
from providers.llm.errors import MalformedAnswer
from providers.llm.prompting.fence import bar, build_data_rule, fence
from providers.llm.prompting.listed_answer import ListedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.prompting.tolerance import Number, Share, Text, snake
from providers.llm.protocol import ChatMessage

logger = logging.getLogger(__name__)

UNSTATED_CERTAINTY = 0.5
UNSTATED_MISS = 0.5
LEAST_IMPORTANCE = 0.2  # of any extracted fact
KNOWN_TOKENS = 3_000
OPENING_TOKENS = 200

EARLIER_RULE = """\
The turns under "earlier" were read before. They explain who and what the passage means. Take no fact from them."""

FACT_RULES = """\
How a fact is written
- A reader who never saw the passage understands it years later. Write names in place of "I", "you", "she" or "the \
company". If a person appears both by a relation and by a name, join them: with "my neighbour \
had an accident" in one turn and "Tomasz is still in hospital" in another about the same person, write "Tomasz, Ana's \
neighbour, had an accident".
- It covers a whole matter: the question with its answer, the proposals with the decision, the event with its outcome \
and what people felt about it. Do not split one story into a fact a sentence, and do not put two matters into one fact.
- It says who said, did, felt or wanted it, and the reasons they gave. A guess stays a guess and a plan stays a plan.
- Numbers, amounts, names, titles and quoted words stay exactly as given. Keep "first", "new", "favourite", "again", \
"no longer": a later question may depend on such a word. Keep photos, videos, songs, books, links and files that are \
mentioned or shared, with what they show.
- Dates are worked out from the date, weekday and zone of the turn that says them: "last Friday" in a turn of Tuesday, \
11 June 2024 is Friday, 7 June 2024; the calendar in the passage names the days. If only a month or a year is \
known, write only that. Invent nothing.
- It is written in the language of the passage. A name keeps its spelling.
- Greetings, thanks, filler, and general knowledge that anyone could look up are left out, unless the agent gave it \
as an answer: then it belongs to what the agent did.

The networks
- world: a fact about people, places or things, or what other people think or like.
- experience: what the agent itself did, said, recommended, found or was told to do. First person, with what the user \
had asked for: "I suggested three hikes near Bergen to Ana, who had asked for a day trip without a car".
- opinion: what the agent itself believes or judges. First person, with a confidence from 0 to 1 that follows how \
firmly it was put. The belief of anyone else is world.

The fields of a fact
- number: 1 for the first fact, 2 for the next.
- what: the account, in full sentences, with the names, the place and the date in it.
- when: the date in words, with the weekday where the day is known: "Friday, 7 June 2024"; empty if there is none.
- where: the place; empty if there is none.
- who: sentences that say who the people are and how they are related, as far as `what` does not say it.
- why: sentences with reasons, feelings and what it means to them, as far as `what` does not say it.
- network: world, experience or opinion. kind: event if it happened or will happen at a known time, else \
conversation.
- occurred_start, occurred_end: for an event, YYYY-MM-DD or YYYY-MM-DDTHH:MM with the last day included; only YYYY-MM \
or YYYY if no more is known; empty without a date.
- entities: the people, organizations, places, products and concepts that it is about, by the fullest name that the \
passage gives, each once, with the kind PERSON, ORGANIZATION, LOCATION, PRODUCT, CONCEPT or OTHER.
- causes: other facts of your answer that this one causes, is caused_by, enables or prevents: their number as target, \
and a strength from 0 to 1. Only if the passage says or plainly shows it.
- relationships: lasting ties such as works_at, lives_in, married_to, favourite_colour, has_children, with subject, \
relation in snake_case, object, a sentence as text, valid_from and valid_until where known, and object_is_value true \
where the object is a plain value such as "blue" or "3".
- confidence: for an opinion, else null.
- turns: the numbers of the turns that it rests on.
A field that the passage does not fill is empty. Do not say the same thing in two fields."""

NARRATIVE_SYSTEM = f"""\
You keep the memory of an AI agent. You are given a passage, a conversation or a document, and write down the \
facts that are worth knowing in a year.

{build_data_rule("passage")}

{EARLIER_RULE}

Write 2 to 5 facts. Write fewer if the passage holds less, and an empty list if it holds nothing worth keeping; more \
only if it covers more than five separate matters.

{FACT_RULES}

Answer with a JSON object: {{"facts": [...]}}."""

NARRATIVE_CLOSING = "End of the passage. Write down its facts by the rules that you were given."

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

{EARLIER_RULE}

Leave out what the passage repeats from the known facts or the forecast, in any wording. Write down the rest: usually \
1 to 5 facts, and an empty list if the passage holds nothing new.

{FACT_RULES}

Each fact has three more fields:
- novelty: "new" if no known fact and no forecast is about it; "update" if a known fact was true and has changed \
since; "contradiction" if a known fact or a forecast was never true.
- prediction: the number of the forecast that it changes or refutes, else null.
- miss: from 0 to 1, how far the passage is from what the memory would have expected: 0.1 for a small detail of a \
known fact, 0.5 for news of an expected kind, 1 for news that no reader of the known facts would have expected.

Answer with a JSON object: {{"facts": [...]}}."""

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


def build_narrative_messages(section: Section) -> list[ChatMessage]:
    return [
        ChatMessage("system", NARRATIVE_SYSTEM),
        ChatMessage("user", f"{render_passage(section)}\n\n{NARRATIVE_CLOSING}"),
    ]


def extract_narrative(meter: Meter, section: Section) -> list[ExtractedFact]:
    answer = meter.ask(NarrativeAnswer, build_narrative_messages(section))
    return [fact for _, fact in read_facts(answer.facts, section)]


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


def choose_known(known: Sequence[str]) -> list[str]:
    """As many as fit into a prompt, from the first on: the nearest come first."""
    chosen: list[str] = []
    left = KNOWN_TOKENS
    for text in known:
        length = tokens.count(text)
        if length <= left:
            chosen.append(text)
            left -= length
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
    return fence("passage", [*render_head(section), *render_piece(section, 1, first.with_text(opening))])


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
    return [ChatMessage("system", CALIBRATED_SYSTEM), ChatMessage("user", "\n\n".join(parts))]


def extract_calibrated(
    meter: Meter, section: Section, *, known: Sequence[str], predictions: Sequence[Prediction]
) -> list[ExtractedFact]:
    answer = meter.ask(CalibratedAnswer, build_calibrated_messages(section, known=known, predictions=predictions))
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
