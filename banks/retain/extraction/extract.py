"""One passage through the engine, as the caller's instructions want it."""

from dataclasses import dataclass, field, replace

from banks.entities.resolution.given import attach_given, read_given
from banks.models import Bank
from banks.retain.engines.protocol import Extraction, ExtractionFailed
from banks.retain.extraction.known_facts import find_known_facts
from banks.retain.extraction.passage_steps import cut_passage, join_facts
from banks.retain.instructions import Instructions
from banks.retain.tools import Tools
from banks.retain.types import ExtractedFact, Passage
from banks.retain.vectors import embed_texts
from banks.words import Mode
from providers.usage import Usage


@dataclass(frozen=True)
class Reading:
    """`error` where the engine could not read it, or some of it; `is_done` where there is nothing left to be read."""

    facts: tuple[ExtractedFact, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    is_done: bool = False


def read_passage(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Reading:
    if not instructions.infer:
        return Reading()
    if tools.longest_passage is None or instructions.mode is Mode.VERBATIM:  # to quote takes no time
        reading = read_at_once(bank, passage, instructions, tools)
    else:
        reading = read_in_steps(bank, passage, instructions, tools, longest=tools.longest_passage)
    given = read_given(bank, instructions.entities, seen_at=passage.turns[-1].said_at)
    return replace(reading, facts=attach_given(reading.facts, given))


def read_in_steps(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools, *, longest: int) -> Reading:
    """A step that can't be read takes no other with it. What the others told is kept, so it is not read again."""
    steps = cut_passage(passage, longest=longest)
    readings = []
    for done, step in enumerate(steps):
        if done:
            tools.step("extracting", done, len(steps))
        readings.append(read_at_once(bank, step.passage, instructions, tools))
    facts = join_facts(steps, [reading.facts for reading in readings])
    errors = [reading.error for reading in readings if reading.error]
    usage = sum((reading.usage for reading in readings), Usage())
    return Reading(facts, usage, "\n".join(dict.fromkeys(errors)), is_done=bool(facts) or not errors)


def read_at_once(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Reading:
    try:
        extraction = extract(bank, passage, instructions, tools)
    except ExtractionFailed as failure:
        return Reading(error=str(failure), usage=getattr(failure, "usage", Usage()))
    return Reading(extraction.facts, extraction.usage, "\n".join(extraction.errors), is_done=True)


def extract(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Extraction:
    if instructions.mode is not Mode.CALIBRATED:
        return tools.engine.extract(passage, mode=instructions.mode)
    texts = [turn.text for turn in passage.turns]
    known = find_known_facts(bank, embed_texts(bank.tenant_id, tools.embedder, texts).vectors)
    return tools.engine.extract(passage, mode=instructions.mode, known=known)
