"""Facts of a caller's own extraction as a text, cut into chunks between them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter

from banks.retain.chunking.size import CHUNK_SIZE
from banks.retain.types import ExtractedFact

SEPARATOR = "\n"
NEVER = datetime(1, 1, 1, tzinfo=UTC)
# One fact in five ends its chunk by its own words, so that the cuts after an edit find back to where they were.
ENDS_ONE_IN = 5
FACTS = TypeAdapter(tuple[ExtractedFact, ...])


@dataclass(frozen=True)
class FactChunk:
    """`start` is where it begins in the joined text; `called_at` the date of facts that were given none."""

    facts: tuple[ExtractedFact, ...]
    start: int
    called_at: datetime | None = None

    @property
    def text(self) -> str:
        return join_facts(self.facts)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def content_hash(self) -> bytes:
        """Of all that is told of the facts: the same words with other dates are to be stored anew.

        What was given no date is the same whenever it comes.
        """
        told = [
            replace(fact, mentioned_at=NEVER) if fact.mentioned_at == self.called_at else fact for fact in self.facts
        ]
        return hashlib.sha256(FACTS.dump_json(tuple(told))).digest()

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where each fact stands in the chunk's text."""
        spans, start = [], 0
        for fact in self.facts:
            spans.append((start, start + len(fact.text)))
            start = spans[-1][1] + len(SEPARATOR)
        return spans


def join_facts(facts: Sequence[ExtractedFact]) -> str:
    return SEPARATOR.join(fact.text for fact in facts)


def cut_facts(facts: Sequence[ExtractedFact], *, offset: int = 0, called_at: datetime | None = None) -> list[FactChunk]:
    """`offset` is what stands before them in the document. A fact longer than a chunk has one for itself."""
    chunks: list[FactChunk] = []
    group: list[ExtractedFact] = []
    for fact in facts:
        if group and (ends_chunk(group[-1]) or len(join_facts(group)) + len(fact.text) >= CHUNK_SIZE):
            chunks.append(FactChunk(tuple(group), offset, called_at))
            offset = chunks[-1].end + len(SEPARATOR)
            group = []
        group.append(fact)
    return [*chunks, FactChunk(tuple(group), offset, called_at)] if group else chunks


def ends_chunk(fact: ExtractedFact) -> bool:
    return hashlib.sha256(fact.text.encode()).digest()[0] % ENDS_ONE_IN == 0


def write_facts(facts: Sequence[ExtractedFact]) -> list[dict[str, Any]]:
    """As JSON holds them."""
    written: list[dict[str, Any]] = FACTS.dump_python(tuple(facts), mode="json")
    return written


def read_facts(written: Sequence[dict[str, Any]]) -> tuple[ExtractedFact, ...]:
    return FACTS.validate_python(written)
