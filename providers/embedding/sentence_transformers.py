from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from providers import tokens
from providers.embedding.protocol import Embedding, EmbeddingBatch, find_query_prefix
from providers.embedding.vector import normalise
from providers.errors import MissingExtra, UnknownModel
from providers.tokens import encodable
from providers.usage import Usage, watched

PROVIDER = "sentence-transformers"


class SentenceTransformersEmbedder:
    """Any model name or folder that sentence-transformers can load.

    The library pads its batches, so the last digits of a vector may change with the batch.
    """

    def __init__(self, *, model: str, query_prefix: str | None = None, model_id: str | None = None) -> None:
        self.model_id = model_id or model
        self._name = model
        self._query_prefix = find_query_prefix(model) if query_prefix is None else query_prefix
        self._model = load_model(model)
        self._lock = Lock()  # its fast tokenizer raises "Already borrowed" when two threads use it
        self.dimension = len(self._model.encode_document(["."], show_progress_bar=False)[0])

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        cleaned = [encodable(text) for text in texts]
        usage = self._estimate(cleaned)
        with watched(PROVIDER, "embed_documents") as call, self._lock:
            rows = self._model.encode_document(cleaned, show_progress_bar=False) if cleaned else []
            call.spent(usage)
        return EmbeddingBatch([normalise(row) for row in rows], usage)

    def embed_query(self, text: str) -> Embedding:
        cleaned = [encodable(text)]
        usage = self._estimate(cleaned)
        with watched(PROVIDER, "embed_query") as call, self._lock:
            # Without a prompt, the model's own "query" prompt serves, if its files have one.
            rows = self._model.encode_query(cleaned, prompt=self._query_prefix, show_progress_bar=False)
            call.spent(usage)
        return Embedding(normalise(rows[0]), usage)

    def _estimate(self, texts: Sequence[str]) -> Usage:
        counted = sum(tokens.count(text) for text in texts)
        return Usage.of_call("embedding", self._name, counted, estimated=True)


def load_model(name: str) -> Any:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtra(PROVIDER) from error
    try:
        return library.SentenceTransformer(name)
    except (OSError, ValueError) as error:
        raise UnknownModel(f"sentence-transformers can't load {name}.") from error
