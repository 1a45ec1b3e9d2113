"""Categories of facts without a language model: by the similarity of a fact to a category's name and description.

A fact gets each category that is nearer to it than general topics are on average. The difference of cosines does not
depend on the number of categories, and less on the embedding model than a cosine does. docs/benchmarks-log.md has the
figures behind MARGIN.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from banks.extraction_settings import ExtractionSettings, Term
from banks.models import Bank
from banks.retain.tools import Tools
from banks.types import ExtractedFact
from banks.vectors import embed_texts
from providers.embedding.vector import Vector
from providers.usage import Usage

MARGIN = 0.11  # of cosines
BUILTIN = "builtin"  # the engine that reads no settings
TOPICS = (
    "Food and drink.",
    "Health and illness.",
    "Money and prices.",
    "Weather.",
    "Music and concerts.",
    "Computers and software.",
    "Clothes and fashion.",
    "Politics and news.",
    "Homes and furniture.",
    "Cars and traffic.",
    "Feelings and moods.",
    "Greetings and thanks.",
)


@dataclass(frozen=True)
class Categorised:
    facts: tuple[ExtractedFact, ...]
    usage: Usage = field(default_factory=Usage)


def categorise(
    bank: Bank, facts: Sequence[ExtractedFact], vectors: Sequence[Vector], settings: ExtractionSettings, tools: Tools
) -> Categorised:
    """`vectors` begin with those of the facts. A language model chooses categories itself, so its facts stay."""
    if not facts or not settings.categories or tools.engine.name != BUILTIN:
        return Categorised(tuple(facts))
    texts = [*map(write_category, settings.categories), *TOPICS]
    embedded = embed_texts(bank.tenant_id, tools.embedder, texts)
    count = len(settings.categories)
    likeness = np.array(vectors[: len(facts)]) @ np.array(embedded.vectors).T
    is_near = likeness[:, :count] >= likeness[:, count:].mean(axis=1, keepdims=True) + MARGIN
    names = [one.name for one in settings.categories]
    chosen = [tuple(name for name, near in zip(names, row, strict=True) if near) for row in is_near]
    found = tuple(replace(fact, categories=some) for fact, some in zip(facts, chosen, strict=True))
    return Categorised(found, embedded.usage)


def write_category(category: Term) -> str:
    name = category.name.replace("_", " ")
    return f"{name}: {category.description}" if category.description else name
