"""Any number of memories from some texts with real embeddings.

A memory is the first half of one text and the second half of another. Its vector lies between the vectors of the two,
with some noise. So the vectors lie where those of real texts lie, and no two memories are equal.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from banks.facts import hash_words
from benchmarks.dashboard.bank import ACTS, PEOPLE, THINGS
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.ready_facts import read_notes
from providers.embedding.vector import Vector, normalise
from providers.registry import get_embedder

SEED = 7
NOISE = 0.2  # length of the noise beside a vector of length 1
SECOND_SHARE = (0.2, 0.8)  # weight of the second text beside 1 of the first
TEXTS_AT_ONCE = 200


@dataclass(frozen=True, eq=False)
class Made:
    text: str
    content_hash: bytes
    vector: Vector
    source: int


@dataclass(frozen=True, eq=False)
class Material:
    texts: Sequence[str]
    vectors: npt.NDArray[np.float32]

    def make(self) -> Iterator[Made]:
        """Yield memories without end, the same in every run."""
        chance = np.random.default_rng(SEED)
        seen: set[bytes] = set()
        for number in count():
            first, second = (int(place) for place in chance.integers(len(self.texts), size=2))
            text = join_halves(self.texts[first], self.texts[second])
            if hash_words(text) in seen:
                text = f"{text} ({number})"
            digest = hash_words(text)
            seen.add(digest)
            yield Made(text, digest, self._mix(first, second, chance), first)

    def _mix(self, first: int, second: int, chance: np.random.Generator) -> Vector:
        dimension = self.vectors.shape[1]
        noise = chance.normal(scale=NOISE / dimension**0.5, size=dimension)
        mixed = self.vectors[first] + chance.uniform(*SECOND_SHARE) * self.vectors[second] + noise
        return normalise(np.asarray(mixed, dtype=np.float32))


def join_halves(first: str, second: str) -> str:
    head, tail = first.split(), second.split()
    return " ".join([*head[: (len(head) + 1) // 2], *tail[len(tail) // 2 :]])


def load_texts(options: Options, wanted: int) -> list[str]:
    """Texts of the data, if there are any, otherwise invented sentences."""
    path = options.find("*notes*.jsonl.xz", "*notes*.jsonl")
    if path is not None:
        return [fact.text for fact in read_notes(path)[:wanted]]
    return [write_sentence(number) for number in range(wanted)]


def write_sentence(number: int) -> str:
    who, act, thing = (words[number // step % len(words)] for words, step in ((PEOPLE, 1), (ACTS, 8), (THINGS, 64)))
    other, place = PEOPLE[number // 3 % len(PEOPLE)], THINGS[number // 7 % len(THINGS)]
    return f"{who} {act} the {thing} of {other} in room {number} beside the {place}, and told everybody about it later."


def embed_material(texts: Sequence[str], options: Options) -> Material:
    embedder = get_embedder()
    vectors: list[Vector] = []
    for batch in options.progress.over(in_batches(texts, TEXTS_AT_ONCE), "real embeddings"):
        vectors += embedder.embed_documents(batch).vectors
    return Material(texts, np.stack(vectors))
