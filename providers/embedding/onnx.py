from collections.abc import Sequence

from providers.embedding.protocol import (
    BGE_ENGLISH,
    BGE_SMALL,
    MEMORY_EMBEDDER,
    ONNX_MODEL_IDS,
    Embedding,
    EmbeddingBatch,
)
from providers.embedding.vector import Vector, normalise
from providers.errors import UnknownModel
from providers.once import Once
from providers.onnx_model import TOKENIZER, HelperThreads, ModelFiles, OnnxModel, PackagedFile, SharedWeights
from providers.usage import Usage, watched

DIMENSION = 384
PROVIDER = "onnx"

OWN_MODEL = PackagedFile(
    "providers.weights",
    ("memory-embedder-v2.onnx",),
    sha256="970bd58bcf6abdf63fb0a534f6f4c66b8986c04b552ae570cdd9ef7e9ab8d768",
)
STOCK_MODEL = PackagedFile(
    "providers.weights",
    ("bge-small-en-v1.5.onnx",),
    sha256="11b945c8f5adc4636b27fc6853be6d673169930ef22e3151e3fcbf59453b8fa8",
)
# Training left the embeddings of the words as they were.
WORDS = SharedWeights("embeddings.word_embeddings.weight_quantized", OWN_MODEL, offset=288_733, shape=(30_522, 384))
FILES = {
    MEMORY_EMBEDDER: ModelFiles(OWN_MODEL, TOKENIZER),
    BGE_SMALL: ModelFiles(STOCK_MODEL, TOKENIZER, shared=WORDS),
}


class OnnxEmbedder:
    """The embedder trained for memories, or bge-small-en-v1.5: the first token's state, normalised.

    The same text always gives the same vector.

    A query is one text on all threads. Documents are several texts at once, each on one thread: on 2 cores 300 facts
    of some 40 tokens took 3.3 s against 4.4 s. That takes a second session over the weights, loaded at the first need.
    """

    dimension = DIMENSION

    def __init__(
        self,
        *,
        threads: int,
        model: str = MEMORY_EMBEDDER,
        query_prefix: str | None = None,
        model_id: str | None = None,
    ) -> None:
        if model not in FILES:
            raise UnknownModel(f"The onnx embedder has {' and '.join(FILES)}, not {model}.")
        files = FILES[model]
        self._name = model
        self.model_id = model_id or ONNX_MODEL_IDS[model]
        self._query_prefix = BGE_ENGLISH if query_prefix is None else query_prefix
        self._model = OnnxModel.load(files, threads=threads)
        self._threads = threads
        self._on_one_thread = Once(lambda: OnnxModel.load(files, threads=1))
        self._helpers = HelperThreads(threads - 1, name="embed")

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        with watched(PROVIDER, "embed_documents") as call:
            embedded = self._embed_all(texts)
            usage = Usage.of_call("embedding", self._name, sum(tokens for _, tokens in embedded))
            call.spent(usage)
        return EmbeddingBatch([vector for vector, _ in embedded], usage)

    def embed_query(self, text: str) -> Embedding:
        with watched(PROVIDER, "embed_query") as call:
            vector, tokens = embed_text(self._model, self._query_prefix + text)
            usage = Usage.of_call("embedding", self._name, tokens)
            call.spent(usage)
        return Embedding(vector, usage)

    def _embed_all(self, texts: Sequence[str]) -> list[tuple[Vector, int]]:
        if self._threads == 1 or len(texts) == 1:
            return [embed_text(self._model, text) for text in texts]
        model = self._on_one_thread.get()
        embedded: dict[int, tuple[Vector, int]] = {}

        def embed(item: tuple[int, str]) -> None:
            index, text = item
            embedded[index] = embed_text(model, text)

        self._helpers.work_through(enumerate(texts), embed, count=len(texts))
        return [embedded[index] for index in range(len(texts))]


def embed_text(model: OnnxModel, text: str) -> tuple[Vector, int]:
    """The vector and the number of tokens."""
    encoding = model.encode(text)
    return normalise(model.run(encoding)[0]), len(encoding.ids)
