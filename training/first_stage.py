"""The first stage of retrieval: BM25 and vectors choose the candidates of each question."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from training.bert import Encoder, Texts, run_all
from training.sources import Conversation

QUERY_PREFIX = "Represent this sentence for searching relevant passages: "
WORD = re.compile(r"\w+")
K1, B = 1.2, 0.75


class BM25:
    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for index, text in enumerate(texts):
            counts = Counter(WORD.findall(text.lower()))
            lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self._postings[word].append((index, count))
        self._lengths = np.array(lengths, dtype=np.float32)
        self._mean = float(self._lengths.mean()) or 1.0

    def score(self, question: str) -> np.ndarray:
        scores = np.zeros(len(self._lengths), dtype=np.float32)
        for word in set(WORD.findall(question.lower())):
            found = self._postings.get(word)
            if not found:
                continue
            idf = math.log(1 + (len(self._lengths) - len(found) + 0.5) / (len(found) + 0.5))
            places = np.array([place for place, _ in found])
            counts = np.array([count for _, count in found], dtype=np.float32)
            norm = K1 * (1 - B + B * self._lengths[places] / self._mean)
            scores[places] += idf * counts * (K1 + 1) / (counts + norm)
        return scores


@dataclass(frozen=True)
class Pool:
    """The candidates of one question, best first, from both channels."""

    conversation: Conversation
    number: int
    candidates: tuple[int, ...]


def embed_conversations(
    model: Encoder, texts: Texts, conversations: Sequence[Conversation]
) -> list[tuple[Tensor, Tensor]]:
    """The vectors of each conversation's texts and questions."""
    documents = run_all(model, texts.encode([text for one in conversations for text in one.texts]))
    questions = run_all(
        model, texts.encode([QUERY_PREFIX + asked.text for one in conversations for asked in one.questions])
    )
    found, at, asked_at = [], 0, 0
    for one in conversations:
        found.append((documents[at : at + len(one.texts)], questions[asked_at : asked_at + len(one.questions)]))
        at, asked_at = at + len(one.texts), asked_at + len(one.questions)
    return found


def build_pools(
    conversations: Sequence[Conversation], vectors: Sequence[tuple[Tensor, Tensor]], *, size: int
) -> list[Pool]:
    """By reciprocal rank of both channels; the evidence need not be among them."""
    pools = []
    for conversation, (documents, questions) in zip(conversations, vectors, strict=True):
        if not conversation.questions:
            continue
        bm25 = BM25(conversation.texts)
        cosines = (questions @ documents.T).float().cpu().numpy()
        for number, asked in enumerate(conversation.questions):
            by_vector = np.argsort(-cosines[number][: asked.candidates], kind="stable")[: 2 * size]
            by_words = np.argsort(-bm25.score(asked.text)[: asked.candidates], kind="stable")[: 2 * size]
            scores: dict[int, float] = defaultdict(float)
            for order in (by_vector, by_words):
                for place, index in enumerate(order):
                    scores[int(index)] += 1 / (60 + place)
            best = sorted(scores, key=lambda index: -scores[index])[:size]
            pools.append(Pool(conversation, number, tuple(best)))
    return pools


def score_pairs(
    model: Encoder, texts: Texts, pools: Sequence[Pool], *, with_evidence: bool = False
) -> list[dict[int, float]]:
    """The reranker's logit of each candidate, and of each piece of evidence if asked for."""
    pairs, keys = [], []
    for row, pool in enumerate(pools):
        asked = pool.conversation.questions[pool.number]
        wanted = dict.fromkeys((*pool.candidates, *(asked.evidence if with_evidence else ())))
        for index in wanted:
            pairs.append((asked.text, pool.conversation.read(index)))
            keys.append((row, index))
    logits = run_all(model, texts.encode_pairs(pairs)).cpu().tolist()
    found: list[dict[int, float]] = [{} for _ in pools]
    for (row, index), logit in zip(keys, logits, strict=True):
        found[row][index] = logit
    return found


def recall_at(order: Sequence[int], evidence: Sequence[int], k: int) -> float:
    return len(set(order[:k]) & set(evidence)) / len(evidence)


def rank_by_vector(vectors: tuple[Tensor, Tensor], conversation: Conversation, most: int) -> list[list[int]]:
    documents, questions = vectors
    found = []
    for number, asked in enumerate(conversation.questions):
        cosines = documents[: asked.candidates] @ questions[number]
        found.append(torch.topk(cosines, min(most, asked.candidates)).indices.tolist())
    return found
