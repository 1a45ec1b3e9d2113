"""A fact before it is stored: extracted, embedded, with its identity and sources."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from banks.types import ExtractedFact, Labels, Quote, Source
from providers.embedding.vector import Vector

HASH_BYTES = 16
CATEGORY, CHOSEN = "category:", "true"  # metadata of a category; tags decide who sees a memory, so no model writes them


class Identity(NamedTuple):
    """Two facts with one identity are the same fact: network, words with the day, and tags."""

    network: str
    words: bytes
    tags: bytes


@dataclass(frozen=True, eq=False)
class PreparedFact:
    """`is_agents`: only the agent says it. That is no evidence about the world: the agent may repeat a memory."""

    fact: ExtractedFact
    vector: Vector
    sources: tuple[Source, ...]
    relationship_vectors: tuple[Vector, ...] = ()
    context: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    is_agents: bool = False

    @cached_property
    def identity(self) -> Identity:
        fact = self.fact
        words = f"{fact.answers}\n{fact.rendered_text}" if fact.answers else fact.rendered_text
        return Identity(fact.network.value, hash_words(words, fact.occurred_start), hash_tags(self.tags))


def hash_words(rendered_text: str, occurred_start: datetime | None = None) -> bytes:
    """Case, spaces and a final full stop do not matter. Other signs do: "C++" is not "C#", and a plus is no minus.

    The day matters too: "Ana ran." of Monday and of Tuesday are two facts.
    """
    words = " ".join(rendered_text.casefold().split()).removesuffix(".")
    hashed = f"{words}\n{occurred_start:%Y-%m-%d}" if occurred_start else words
    return hashlib.blake2b(hashed.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


def hash_tags(tags: Iterable[str]) -> bytes:
    """Empty without tags."""
    joined = "\n".join(sorted(set(tags)))
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).digest()[:HASH_BYTES] if joined else b""


def list_embedding_texts(facts: Sequence[ExtractedFact]) -> list[str]:
    """The texts to embed: the facts, then their relationships."""
    return [
        *(fact.rendered_text for fact in facts),
        *(relationship.text for fact in facts for relationship in fact.relationships),
    ]


def prepare_facts(
    facts: Sequence[ExtractedFact],
    vectors: Sequence[Vector],
    labels: Labels,
    find_source: Callable[[Quote], Source],
    *,
    is_agents: Callable[[Quote], bool] = lambda _quote: False,
) -> list[PreparedFact]:
    """`vectors` belong to `list_embedding_texts`. `find_source` gives the source of a quote."""
    rest = iter(vectors[len(facts) :])
    return [
        PreparedFact(
            fact,
            vectors[place],
            tuple(find_source(quote) for quote in fact.quotes),
            relationship_vectors=tuple(next(rest) for _ in fact.relationships),
            context=labels.context,
            tags=labels.tags,
            metadata=dict(labels.metadata) | {f"{CATEGORY}{name}": CHOSEN for name in fact.categories},
            is_agents=bool(fact.quotes) and all(map(is_agents, fact.quotes)),
        )
        for place, fact in enumerate(facts)
    ]
