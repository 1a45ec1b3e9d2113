"""The texts to embed for chunks, episodes and entities. Of a memory unit it is the rendered text.

A row is embedded when it is stored, and again after an import or an edit. Its texts depend only on what is stored, so
that they are the same each time. The vector of a row with several texts is their mean.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from providers.embedding.protocol import Embedder, EmbeddingBatch
from providers.embedding.vector import Vector, normalise


def build_chunk_text(text: str, *, heading: str, context: str = "") -> str:
    """The text of a document's chunk: the caller's context and the date, then the chunk."""
    return "\n".join(part for part in (context, heading, text) if part)


def list_line_texts(text: str, ends: Sequence[int], *, context: str = "") -> tuple[str, ...]:
    """The texts of a conversation's chunk: the caller's context and each line. `ends` are the ends of the lines.

    Most lines are also the text of a unit, so most messages are embedded once.
    """
    starts = [0, *(end + 1 for end in ends)]
    lines = [text[start:end] for start, end in zip(starts, ends, strict=False)]
    return (context, *lines) if context else tuple(lines)


def build_episode_text(narrative: str, *, thread: str = "") -> str:
    """The narrative, or the thread's name before there is one."""
    return narrative or thread


def build_entity_text(name: str, summary: str) -> str:
    return f"{name}: {summary}" if summary else name


def embed_rows(embedder: Embedder, rows: Sequence[Sequence[str]]) -> EmbeddingBatch:
    """One vector for the texts of each row."""
    batch = embedder.embed_documents([text for texts in rows for text in texts])
    return EmbeddingBatch(join_vectors(rows, batch.vectors), batch.usage)


def join_vectors(rows: Sequence[Sequence[str]], vectors: Sequence[Vector]) -> list[Vector]:
    """`vectors` are those of all texts, in their order."""
    left = iter(vectors)
    return [average(texts, islice(left, len(texts))) for texts in rows]


def average(texts: Sequence[str], vectors: Iterator[Vector]) -> Vector:
    """The mean, at length 1. A longer text has more weight."""
    if len(texts) == 1:
        return next(vectors)
    weights = [max(1, len(text)) for text in texts]
    return normalise(np.average(list(vectors), axis=0, weights=weights))
