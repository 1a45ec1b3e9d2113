"""A fact on its way into the tables: extracted, embedded, and with the rows that it rests on."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from banks.embedding_texts import build_unit_text
from banks.retain.instructions import Instructions
from banks.retain.relationships.beginnings import with_beginning
from banks.retain.types import ExtractedFact, Quote
from providers.embedding.vector import Vector

HASH_BYTES = 16
NOT_WORDS = re.compile(r"[\W_]+")
HANGS_ON_THE_DAY = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|this morning|(?:last|next|this|past|coming) "
    r"(?:night|weekend|week|month|year|spring|summer|autumn|fall|winter|\w+day))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Source:
    """Characters `start` to `end` of a message, or of a chunk's text."""

    start: int
    end: int
    message_id: UUID | None = None
    chunk_id: UUID | None = None


class Identity(NamedTuple):
    """What makes two tellings one: the network, the words with their day, and the tags under which they were told."""

    network: str
    words: bytes
    tags: bytes


@dataclass(frozen=True, eq=False)
class PreparedFact:
    fact: ExtractedFact
    vector: Vector
    sources: tuple[Source, ...]
    relationship_vectors: tuple[Vector, ...] = ()
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    is_agents: bool = False  # told by the agent alone: of the world that is no evidence, it may have it from here

    @cached_property
    def identity(self) -> "Identity":
        """Two facts with the same are the same fact, said twice."""
        fact = self.fact
        words = hash_telling(fact.text, fact.occurred_start, fact.mentioned_at)
        return Identity(fact.network.value, words, hash_tags(self.tags))


def hash_telling(text: str, occurred_start: datetime | None, mentioned_at: datetime) -> bytes:
    """Of the words and the day: "Ana ran." of Monday and of Tuesday are two, and so are two "Ana ran yesterday."."""
    day = occurred_start or (mentioned_at if HANGS_ON_THE_DAY.search(text) else None)
    return hash_fact(text, day=f"{day:%Y-%m-%d}" if day else "")


def hash_fact(text: str, *, day: str = "") -> bytes:
    """Of the words alone: case, punctuation and spaces make no other fact."""
    words = NOT_WORDS.sub(" ", text.casefold()).strip() or text
    told = f"{words}\n{day}" if day else words
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def hash_tags(tags: Iterable[str]) -> bytes:
    """Nothing where there are none, so that a bank without tags has one memory for one text."""
    told = "\n".join(sorted(set(tags)))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES] if told else b""


def build_embedding_text(fact: ExtractedFact) -> str:
    return build_unit_text(fact.text, fact.network, occurred_start=fact.occurred_start, occurred_end=fact.occurred_end)


def list_texts(facts: Sequence[ExtractedFact]) -> list[str]:
    """What is to be embedded for the facts: their own texts, then those of their relationships."""
    return [
        *(build_embedding_text(fact) for fact in facts),
        *(relationship.text for fact in facts for relationship in fact.relationships),
    ]


def prepare_facts(
    facts: Sequence[ExtractedFact],
    vectors: Sequence[Vector],
    instructions: Instructions,
    find_source: Callable[[Quote], Source],
    *,
    is_agents: Callable[[Quote], bool] = lambda _quote: False,
) -> list[PreparedFact]:
    """`vectors` are those of `list_texts`; `find_source` says which row a quote is from, `is_agents` who spoke it."""
    rest = iter(vectors[len(facts) :])
    return [
        PreparedFact(
            with_beginning(fact),
            vectors[place],
            tuple(find_source(quote) for quote in fact.quotes),
            relationship_vectors=tuple(next(rest) for _ in fact.relationships),
            context=instructions.context,
            tags=instructions.tags,
            metadata=instructions.metadata,
            is_agents=bool(fact.quotes) and all(map(is_agents, fact.quotes)),
        )
        for place, fact in enumerate(facts)
    ]
