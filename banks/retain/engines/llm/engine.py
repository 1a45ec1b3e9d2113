import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from banks.lifecycle.deciding.llm_judge import LLMJudge
from banks.retain.engines.builtin.verbatim import quote_all
from banks.retain.engines.llm import calibrated, narrative, prediction
from banks.retain.engines.llm.halving import Read, UnreadableSection, read_in_parts
from banks.retain.engines.llm.identifier import LLMIdentifier
from banks.retain.engines.llm.prediction import Prediction, choose_known, predict_the_known
from banks.retain.engines.llm.section import Section, build_section
from banks.retain.engines.protocol import Extraction, ExtractionFailed, KnownFact
from banks.retain.types import ExtractedFact, Passage
from banks.words import Mode
from providers.llm.errors import MalformedAnswer
from providers.llm.prompting.meter import Meter
from providers.llm.protocol import LLM
from providers.usage import Usage

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """`passage_tokens`: more is asked about in parts, because a few facts can't tell more than that.

    `answer_tokens` is not sent where it is None: endpoints differ in what they accept, and their own limit serves.
    """

    passage_tokens: int = 3_000
    answer_tokens: int | None = None


class AnswersUnusable(ExtractionFailed):
    """What was spent on it stays spent, and is counted."""

    def __init__(self, message: str, *, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class LLMEngine:
    """Raises the errors of providers/llm/errors.py where the model can't be had: that is no fault of the passage.

    To quote needs no model, so `verbatim` is the built-in engine's: a bank that changes its engine keeps its units.
    """

    def __init__(self, llm: LLM, *, limits: Limits | None = None) -> None:
        self._llm = llm
        self._limits = limits or Limits()
        self.judge = LLMJudge(llm)
        self.identifier = LLMIdentifier(llm)

    @property
    def name(self) -> str:
        return self._llm.model_id

    def extract(self, passage: Passage, *, mode: Mode, known: Sequence[KnownFact] = ()) -> Extraction:
        if mode is Mode.VERBATIM:
            return Extraction(tuple(quote_all(passage)), Usage())
        section = build_section(passage)
        if section.is_blank:
            return Extraction((), Usage())
        meter = Meter(self._llm, answer_tokens=self._limits.answer_tokens)
        read = choose_reader(section, meter, mode=mode, known=known)
        try:
            parts = read_in_parts(section, read, max_tokens=self._limits.passage_tokens)
        except UnreadableSection as unreadable:
            raise AnswersUnusable(str(unreadable), usage=meter.usage) from None
        return Extraction(tuple(parts.facts), meter.usage, tuple(parts.errors))


def choose_reader(section: Section, meter: Meter, *, mode: Mode, known: Sequence[KnownFact]) -> Read:
    if mode is Mode.NARRATIVE:
        return partial(read_narrative, meter)
    chosen = choose_known(known)
    if not chosen:
        return partial(read_cold, meter)
    return partial(read_calibrated, meter, known=chosen, predictions=predict(section, meter, chosen))


def read_narrative(meter: Meter, section: Section) -> list[ExtractedFact]:
    return narrative.read_answer(meter.ask(narrative.NarrativeAnswer, narrative.build_messages(section)), section)


def read_cold(meter: Meter, section: Section) -> list[ExtractedFact]:
    """Nothing was foretold, so all is new and no miss can be measured: the importance stays the usual one."""
    return [replace(fact, novelty="new") for fact in read_narrative(meter, section)]


def read_calibrated(
    meter: Meter, section: Section, *, known: Sequence[KnownFact], predictions: Sequence[Prediction]
) -> list[ExtractedFact]:
    messages = calibrated.build_messages(section, known=known, predictions=predictions)
    answer = meter.ask(calibrated.CalibratedAnswer, messages)
    return calibrated.read_answer(answer, section, predictions=predictions)


def predict(section: Section, meter: Meter, known: Sequence[KnownFact]) -> tuple[Prediction, ...]:
    """Once for the whole passage, also where it is read in parts."""
    try:
        answer = meter.ask(prediction.PredictionAnswer, prediction.build_messages(section, known))
    except MalformedAnswer as malformed:
        logger.warning("A forecast could not be read, so what is known stands in for it: %s", malformed)
        return predict_the_known(known)
    return prediction.read_answer(answer)
