"""The engine that asks a language model."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from banks.entities.names.normalise import mentions
from banks.enums import Mode
from banks.extraction_settings import ExtractionSettings
from banks.retain.echoes import blank_echoes
from banks.retain.engine import Engine, Extraction, FindKnown, find_nothing
from banks.retain.llm.disambiguation import LLMIdentifier
from banks.retain.llm.extraction import (
    TOKENS_BESIDE_A_PASSAGE,
    TOKENS_OF_KNOWN,
    TOKENS_TO_PREDICT_FROM,
    choose_known,
    extract_calibrated,
    extract_cold,
    extract_narrative,
    predict,
)
from banks.retain.llm.halving import PartReader, Read, join
from banks.retain.llm.lifecycle import LLMJudge
from banks.retain.llm.section import Section, build_section, split_section
from banks.types import ExtractedFact, FoundEntity, KnownFact, Passage, Turn
from banks.vectors import Step, report_nothing
from providers import tokens
from providers.llm.prompting.meter import Meter
from providers.llm.protocol import LLM
from providers.usage import Usage

LONGEST_STEP = 40_000  # characters: a few calls, between which a caller sees progress
CALL_TOKENS = 3_000  # of a passage in one call: a few facts can't hold the content of more


class LLMEngine:
    """Raises the errors of providers/llm/errors.py if a model can't be reached or refuses the service.

    `judge` decides about duplicates, contradictions and names. The mode `verbatim` needs no model: `quoting` is the
    engine that quotes.
    """

    batch_tokens = CALL_TOKENS

    def __init__(self, llm: LLM, *, judge: LLM | None = None, quoting: Engine) -> None:
        self._llm = llm
        self._quoting = quoting
        self.judge = LLMJudge(judge or llm)
        self.identifier = LLMIdentifier(judge or llm)

    @property
    def name(self) -> str:
        return self._llm.model_id

    def extract(
        self, passage: Passage, *, mode: Mode, find_known: FindKnown = find_nothing, step: Step = report_nothing
    ) -> Extraction:
        """A long passage is read in steps. If one step can't be read, the facts of the others are kept."""
        if mode is Mode.VERBATIM:
            return self._quoting.extract(passage, mode=mode)
        whole = build_section(replace(passage, turns=blank_echoes(passage.turns, passage.echoes)))
        sections = [section for section in split_section(whole, longest=LONGEST_STEP) if not section.is_blank]
        meter = Meter(self._llm)
        found, errors, seen = [], [], set[UUID]()
        for done, section in enumerate(sections):
            if done:
                step("extracting", done, len(sections))
            known = find_beside(section, mode, find_known)
            seen |= {one.id for one in known} if mode is Mode.NARRATIVE else set()
            reader = PartReader(choose_reader(section, meter, mode=mode, known=known), CALL_TOKENS)
            found.append(reader.read(section))
            errors += reader.errors
        facts = tuple(join(found))
        is_done = bool(facts) or not errors
        return Extraction(facts, meter.usage, tuple(dict.fromkeys(errors)), is_done=is_done, seen=frozenset(seen))

    def reread(
        self, fact: ExtractedFact, known: Sequence[FoundEntity], settings: ExtractionSettings
    ) -> tuple[ExtractedFact, Usage]:
        """One call: the entities and relationships of all facts that the model finds in the text."""
        turn = Turn("user", "", fact.rendered_text, fact.mentioned_at)
        extraction = self.extract(Passage((turn,), is_document=True, settings=settings), mode=Mode.NARRATIVE)
        facts = extraction.facts
        found = {one.name.casefold(): one for part in facts for one in part.entities}
        still_named = {one.name.casefold(): one for one in known if mentions(fact.text, one.name)}
        relationships = tuple(one for part in facts for one in part.relationships)
        read = replace(fact, entities=tuple((found | still_named).values()), relationships=relationships)
        return read, extraction.usage


def choose_reader(section: Section, meter: Meter, *, mode: Mode, known: Sequence[KnownFact]) -> Read:
    """The prediction is made once for the section, also if the section is read in parts."""
    if mode is Mode.NARRATIVE:
        return partial(extract_narrative, meter, known=known)
    texts = [one.text for one in known]
    if not texts:
        return partial(extract_cold, meter)
    return partial(extract_calibrated, meter, known=texts, predictions=predict(meter, section, texts))


def find_beside(section: Section, mode: Mode, find_known: FindKnown) -> list[KnownFact]:
    """The known facts that the model sees with a section: those about the words of others, if the agent talks too."""
    turns = [piece.turn for piece in section.pieces if piece.turn.text.strip()]
    others = [turn for turn in turns if not section.is_agent(turn)]
    known = find_known([turn.text for turn in others or turns])
    if mode is Mode.NARRATIVE:
        length = sum(tokens.count(turn.text) for turn in turns)
        return choose_known(known, most=max(TOKENS_BESIDE_A_PASSAGE, length // 2), longest=TOKENS_OF_KNOWN)
    return choose_known(known, most=TOKENS_TO_PREDICT_FROM)
