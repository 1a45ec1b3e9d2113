from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any

from providers.deadline import Deadline
from providers.errors import MissingExtra, UnknownModel
from providers.reranking.pace import Pace
from providers.reranking.protocol import Ranking, rank, sigmoid
from providers.tokens import encodable
from providers.usage import watched

PROVIDER = "sentence-transformers"
BATCH = 8  # pairs between two looks at the deadline; without one the library batches by itself

Pair = tuple[str, str]


class SentenceTransformersReranker:
    """Any cross-encoder with one output that sentence-transformers can load, by name or folder."""

    def __init__(self, *, model: str) -> None:
        self.model_id = model
        self._model = load_model(model)
        self._lock = Lock()  # its fast tokenizer raises "Already borrowed" when two threads use it
        self._pace = Pace()

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        deadline = Deadline.after(within_seconds)
        pairs = [(encodable(query), encodable(passage)) for passage in passages]
        with watched(PROVIDER, "rerank"):
            scores = self._score_all(pairs) if within_seconds is None else self._score_within(deadline, pairs)
        return rank([*scores, *[None] * (len(pairs) - len(scores))])

    def _score_within(self, deadline: Deadline, pairs: list[Pair]) -> list[float]:
        scores: list[float] = []
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start : start + BATCH]
            work = predict_work(batch)
            if not deadline.has_room_for(self._pace.predict(work)):
                break
            started = monotonic()
            scores += self._score_all(batch)
            self._pace.learn(work, monotonic() - started)
        if pairs and not scores and not deadline.is_over:
            self._pace.hope()
        return scores

    def _score_all(self, pairs: list[Pair]) -> list[float]:
        if not pairs:
            return []
        with self._lock:
            # Some models are saved with a sigmoid and some without, so ask all for their logits.
            logits = self._model.predict(pairs, activation_fn=keep_logits, show_progress_bar=False)
        return [sigmoid(float(logit)) for logit in logits]


def predict_work(batch: list[Pair]) -> float:
    """The longest pair decides: a batch is padded to it."""
    return len(batch) * max(len(query) + len(passage) + 1 for query, passage in batch)


def keep_logits(logits: Any) -> Any:
    return logits


def load_model(name: str) -> Any:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtra(PROVIDER) from error
    try:
        model = library.CrossEncoder(name)
    except (OSError, ValueError) as error:
        raise UnknownModel(f"sentence-transformers can't load {name}.") from error
    if model.num_labels != 1:
        raise UnknownModel(f"{name} gives {model.num_labels} outputs; a reranker needs one that gives one.")
    return model
