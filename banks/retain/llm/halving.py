"""Reads a section in halves if it can't be read as one, and the halves in halves again, down to a bound."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from banks.retain.llm.section import Section, find_halves
from banks.types import ExtractedFact
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content

Read = Callable[[Section], list[ExtractedFact]]

MAX_SPLITS = 3  # eighths
MOST_IN_VAIN = 2  # failed parts before any is read. Such a model can't answer, so it is not asked about the rest


class PartReader:
    """`errors` has a sentence for each part that could not be read. They hold no text of the passage."""

    def __init__(self, read: Read, max_tokens: int) -> None:
        self._read = read
        self._max_tokens = max_tokens
        self.has_read = False
        self.errors: list[str] = []

    def read(self, section: Section, splits: int = MAX_SPLITS) -> list[ExtractedFact]:
        """`splits` limits how often a failed section is divided. One that is too long for a call is always divided."""
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
            reason = write_failure(failure)
        else:
            self.has_read = True
            return facts
        if halves and splits:
            return join(self.read(half, splits - 1) for half in halves)
        self.errors.append(f"{write_place(section)} could not be turned into facts: {reason}.")
        return []

    @property
    def _gave_up(self) -> bool:
        return not self.has_read and len(self.errors) >= MOST_IN_VAIN


def join(parts: Iterable[list[ExtractedFact]]) -> list[ExtractedFact]:
    """A cause is a place in the list of its own part, so it moves with the part."""
    facts: list[ExtractedFact] = []
    for part in parts:
        facts += [move_causes(fact, by=len(facts)) for fact in part]
    return facts


def move_causes(fact: ExtractedFact, *, by: int) -> ExtractedFact:
    return replace(fact, causes=tuple(replace(cause, target=cause.target + by) for cause in fact.causes))


def write_failure(failure: MalformedAnswer | LLMRefused) -> str:
    if isinstance(failure, LLMRefused):
        return "the model refused it, also in smaller parts"
    if failure.truncated:
        return "the model's answer was cut off at the limit of its length, also for smaller parts"
    return "the model's answer was not in the form that was asked for, also after a repair and for smaller parts"


def write_place(section: Section) -> str:
    first, last = section.pieces[0], section.pieces[-1]
    if section.passage.is_document:
        return f"The characters {first.start} to {last.quote.end} of the text"
    if first.index == last.index:
        return f"Message {first.index + 1}"
    return f"The messages {first.index + 1} to {last.index + 1}"
