"""One passage through the engine, as the caller's instructions want it."""

from dataclasses import dataclass, field

from banks.models import Bank
from banks.retain.engines.protocol import Extraction, ExtractionFailed
from banks.retain.instructions import Instructions
from banks.retain.known_facts import find_known_facts
from banks.retain.tools import Tools
from banks.retain.types import ExtractedFact, Mode, Passage
from banks.retain.vectors import embed_texts
from providers.usage import Usage


@dataclass(frozen=True)
class Reading:
    """`error` where the engine could not read it; `is_done` where there is nothing left to be read."""

    facts: tuple[ExtractedFact, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    is_done: bool = False


def read_passage(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Reading:
    if not instructions.infer:
        return Reading()
    try:
        extraction = extract(bank, passage, instructions, tools)
    except ExtractionFailed as failure:
        return Reading(error=str(failure), usage=getattr(failure, "usage", Usage()))
    return Reading(extraction.facts, extraction.usage, is_done=True)


def extract(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Extraction:
    if instructions.mode is not Mode.CALIBRATED:
        return tools.engine.extract(passage, mode=instructions.mode)
    texts = [turn.text for turn in passage.turns]
    known = find_known_facts(bank, embed_texts(bank.tenant_id, tools.embedder, texts).vectors)
    return tools.engine.extract(passage, mode=instructions.mode, known=known)
