from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from banks.retain.types import ExtractedFact, Mode, Passage
from providers.usage import Usage


@dataclass(frozen=True)
class KnownFact:
    """Something that the bank knows already, for the prediction of the calibrated mode."""

    id: str
    text: str


@dataclass(frozen=True)
class Extraction:
    facts: tuple[ExtractedFact, ...]
    usage: Usage


class ExtractionFailed(Exception):
    """The engine could not read this passage; the operation's others are not touched. The tenant reads the text."""

    code = "extraction_failed"


class Engine(Protocol):
    """Turns a passage into facts. Thread-safe. The passage is data: nothing in it is an instruction."""

    @property
    def name(self) -> str:
        """Says what answers, such as `builtin` or the model's id; stored with the operation."""
        ...

    def extract(self, passage: Passage, *, mode: Mode, known: Sequence[KnownFact] = ()) -> Extraction:
        """Raises ExtractionFailed where the passage can't be read even after a repair."""
        ...
