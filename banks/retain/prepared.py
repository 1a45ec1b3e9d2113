"""A fact on its way into the tables: extracted, embedded, and with the rows that it rests on."""

import hashlib
import re
from dataclasses import dataclass, field
from uuid import UUID

from banks.retain.types import ExtractedFact
from providers.embedding.vector import Vector

NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Source:
    """Characters `start` to `end` of a message, or of a chunk's text."""

    start: int
    end: int
    message_id: UUID | None = None
    chunk_id: UUID | None = None


@dataclass(frozen=True, eq=False)
class PreparedFact:
    fact: ExtractedFact
    vector: Vector
    sources: tuple[Source, ...]
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> tuple[str, bytes]:
        """Two facts with the same are the same fact, said twice."""
        return self.fact.network.value, hash_fact(self.fact.text)


def hash_fact(text: str) -> bytes:
    """Of the words alone: case, punctuation and spaces make no other fact."""
    words = NOT_WORDS.sub(" ", text.casefold()).strip()
    return hashlib.blake2b((words or text).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def build_embedding_text(fact: ExtractedFact) -> str:
    """The text with a readable time behind it, which helps a search that names one (000, 2.2.2)."""
    return f"{fact.text} (happened in {fact.occurred_start:%B %Y})" if fact.occurred_start else fact.text
