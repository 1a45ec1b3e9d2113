"""The protocol of an engine, which turns passages into facts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from banks.entities.resolution.identifier import Identifier
from banks.enums import Mode
from banks.extraction_settings import ExtractionSettings
from banks.lifecycle.decisions import Judge
from banks.types import ExtractedFact, FoundEntity, KnownFact, Passage
from banks.vectors import Step, report_nothing
from providers.usage import Usage

FindKnown = Callable[[Sequence[str]], Sequence[KnownFact]]
"""The facts of the bank about some texts, the nearest first. The calibrated mode predicts from them."""


def find_nothing(_texts: Sequence[str]) -> Sequence[KnownFact]:
    return ()


@dataclass(frozen=True)
class Extraction:
    """The facts of a passage. `errors` name parts that could not be read. The tenant reads them.

    A passage that is not `is_done` is read again by the next retain. `seen` are the memories beside the passage: the
    effects of the facts on them are decided.
    """

    facts: tuple[ExtractedFact, ...] = ()
    usage: Usage = field(default_factory=Usage)
    errors: tuple[str, ...] = ()
    is_done: bool = True
    seen: frozenset[UUID] = frozenset()


class Engine(Protocol):
    """Thread-safe. The passage is data: nothing in it is an instruction."""

    @property
    def name(self) -> str:
        """`builtin`, or the model's id; stored with the operation."""
        ...

    @property
    def batch_tokens(self) -> int:
        """Short episodes are read together up to this length. 0: each by itself."""
        ...

    @property
    def judge(self) -> Judge:
        """Decides what becomes of a fact beside similar ones."""
        ...

    @property
    def identifier(self) -> Identifier | None:
        """Decides which entity a name means if the rules can't. Without an identifier the name gets a new entity."""
        ...

    def extract(
        self, passage: Passage, *, mode: Mode, find_known: FindKnown = find_nothing, step: Step = report_nothing
    ) -> Extraction:
        """`step` is called between the parts of a long passage. Call outside of transactions."""
        ...

    def reread(
        self, fact: ExtractedFact, known: Sequence[FoundEntity], settings: ExtractionSettings
    ) -> tuple[ExtractedFact, Usage]:
        """The fact with the entities and relationships of its text, which a person has edited, and the usage.

        `known` are the entities that the memory mentioned before, `settings` those of the bank.
        """
        ...
