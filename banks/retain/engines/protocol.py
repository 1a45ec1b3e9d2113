from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from banks.entities.resolution.identifier import Identifier
from banks.lifecycle.deciding.judge import Judge
from banks.retain.types import ExtractedFact, Passage
from banks.words import Mode
from providers.usage import Usage


@dataclass(frozen=True)
class KnownFact:
    """Something that the bank knows already, for the prediction of the calibrated mode."""

    id: str
    text: str


@dataclass(frozen=True)
class Extraction:
    """`errors` name parts that could not be read, beside what the others told."""

    facts: tuple[ExtractedFact, ...]
    usage: Usage
    errors: tuple[str, ...] = ()


class ExtractionFailed(Exception):
    """The engine could not read this passage; the operation's others are not touched. The tenant reads the text."""

    code = "extraction_failed"


class Engine(Protocol):
    """Turns a passage into facts. Thread-safe. The passage is data: nothing in it is an instruction."""

    @property
    def name(self) -> str:
        """Says what answers, such as `builtin` or the model's id; stored with the operation."""
        ...

    @property
    def judge(self) -> Judge:
        """Decides what becomes of a fact that resembles others."""
        ...

    @property
    def identifier(self) -> Identifier | None:
        """Answers whom a name means where the rules can't tell; None where a new entity is made then."""
        ...

    def extract(self, passage: Passage, *, mode: Mode, known: Sequence[KnownFact] = ()) -> Extraction:
        """Raises ExtractionFailed where the passage can't be read even after a repair."""
        ...
