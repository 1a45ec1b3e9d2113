"""Recall of the vector channel alone, and of a reranker over the best 64 of the first stage."""

import numpy as np

from training.bert import Encoder, Texts
from training.first_stage import build_pools, embed_conversations, rank_by_vector, recall_at, score_pairs
from training.sources import Conversation

VECTOR_DEPTHS = (5, 10, 50)
RERANKED_DEPTHS = (5, 10)
POOL = 64
MOST_QUESTIONS = 400  # of one source, for the reranker


def evaluate_embedder(model: Encoder, texts: Texts, sets: dict[str, list[Conversation]]) -> dict[str, list[float]]:
    found = {}
    for name, conversations in sets.items():
        vectors = embed_conversations(model, texts, conversations)
        rows = [
            [recall_at(order, asked.evidence, k) for k in VECTOR_DEPTHS]
            for conversation, own in zip(conversations, vectors, strict=True)
            for order, asked in zip(
                rank_by_vector(own, conversation, max(VECTOR_DEPTHS)), conversation.questions, strict=True
            )
        ]
        found[name] = [round(100 * float(value), 1) for value in np.mean(rows, axis=0)]
    return found


def evaluate_reranker(
    rerankers: dict[str, Encoder],
    embedder: Encoder,
    document_texts: Texts,
    pair_texts: Texts,
    sets: dict[str, list[Conversation]],
) -> dict[str, dict[str, list[float]]]:
    """Every reranker reads the same pools."""
    found: dict[str, dict[str, list[float]]] = {name: {} for name in rerankers}
    for source, conversations in sets.items():
        pools = build_pools(conversations, embed_conversations(embedder, document_texts, conversations), size=POOL)
        pools = pools[:: max(1, len(pools) // MOST_QUESTIONS)]
        for name, reranker in rerankers.items():
            rows = []
            for pool, scored in zip(pools, score_pairs(reranker, pair_texts, pools), strict=True):
                order = sorted(scored, key=lambda index: -scored[index])
                evidence = pool.conversation.questions[pool.number].evidence
                rows.append([recall_at(order, evidence, k) for k in RERANKED_DEPTHS])
            found[name][source] = [round(100 * float(value), 1) for value in np.mean(rows, axis=0)]
    return found


def write_table(found: dict[str, dict[str, list[float]]]) -> str:
    sources = list(next(iter(found.values())))
    lines = [" | ".join(["model", *sources])]
    for name, figures in found.items():
        lines.append(" | ".join([name, *(" / ".join(map(str, figures[source])) for source in sources)]))
    return "\n".join(lines)
