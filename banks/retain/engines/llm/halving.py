"""A section that can't be read as one is read in halves, and those in halves again, down to a bound."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from banks.retain.engines.llm.section import Section, find_halves
from banks.retain.types import ExtractedFact
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content

Read = Callable[[Section], list[ExtractedFact]]

MAX_SPLITS = 3  # eighths
MOST_IN_VAIN = 2  # parts that fail before any is read: such a model can't answer, and is not asked about the rest


class UnreadableSection(Exception):
    """The text is for the tenant, and holds nothing of the passage."""


@dataclass(frozen=True)
class Parts:
    """What was read, and which parts could not be."""

    facts: list[ExtractedFact]
    errors: list[str]


def read_in_parts(section: Section, read: Read, *, max_tokens: int) -> Parts:
    """A part that can't be read takes no other with it. UnreadableSection where none can."""
    reader = PartReader(read, max_tokens)
    facts = reader.read(section)
    if reader.errors and not reader.has_read:
        raise UnreadableSection("\n".join(reader.errors))
    return Parts(facts, reader.errors)


class PartReader:
    def __init__(self, read: Read, max_tokens: int) -> None:
        self._read = read
        self._max_tokens = max_tokens
        self.has_read = False
        self.errors: list[str] = []

    def read(self, section: Section, splits: int = MAX_SPLITS) -> list[ExtractedFact]:
        """`splits` bounds how often a failure is divided; dividing what is too long to ask about has no bound."""
        if section.is_blank or self._gave_up:
            return []
        halves = find_halves(section)
        if halves and section.is_longer_than(self._max_tokens):
            return join(self.read(half, splits) for half in halves)
        reason = ""
        try:
            facts = self._read(section)
        except (MalformedAnswer, LLMRefused) as failure:
            if not concerns_content(failure):
                raise
            reason = describe_failure(failure)
        else:
            self.has_read = True
            return facts
        if halves and splits:
            return join(self.read(half, splits - 1) for half in halves)
        self.errors.append(f"{describe_place(section)} could not be turned into facts: {reason}.")
        return []

    @property
    def _gave_up(self) -> bool:
        return not self.has_read and len(self.errors) >= MOST_IN_VAIN


def join(parts: Iterable[list[ExtractedFact]]) -> list[ExtractedFact]:
    """Causes point to places in the list of their own part, and move with it."""
    facts: list[ExtractedFact] = []
    for part in parts:
        facts += [move_causes(fact, by=len(facts)) for fact in part]
    return facts


def move_causes(fact: ExtractedFact, *, by: int) -> ExtractedFact:
    return replace(fact, causes=tuple(replace(cause, target=cause.target + by) for cause in fact.causes))


def describe_failure(failure: MalformedAnswer | LLMRefused) -> str:
    if isinstance(failure, LLMRefused):
        return "the model refused it, also in smaller parts"
    if failure.truncated:
        return "the model's answer was cut off at the limit of its length, also for smaller parts"
    return "the model's answer was not in the form that was asked for, also after a repair and for smaller parts"


def describe_place(section: Section) -> str:
    first, last = section.pieces[0], section.pieces[-1]
    if section.passage.is_document:
        return f"The characters {first.start} to {last.quote.end} of the text"
    if first.index == last.index:
        return f"Message {first.index + 1}"
    return f"The messages {first.index + 1} to {last.index + 1}"
