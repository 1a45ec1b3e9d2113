from collections.abc import Sequence

from providers.embedding.protocol import Embedding, EmbeddingBatch
from providers.embedding.query_prefix import BGE_ENGLISH
from providers.embedding.vector import Vector, normalise
from providers.errors import UnknownModel
from providers.onnx_model import ModelFiles, OnnxModel
from providers.usage import Usage
from providers.watch import watched

MODEL = "BAAI/bge-small-en-v1.5"
MODEL_ID = f"{MODEL}-int8"  # the unquantised model's vectors are not the same
DIMENSION = 384
FILES = ModelFiles(
    folder="bge_small_en",
    model_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
PROVIDER = "onnx"


class OnnxEmbedder:
    """bge-small-en-v1.5: the first token's state, normalised. The same text always gives the same vector."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def __init__(self, *, threads: int, model: str = MODEL, query_prefix: str | None = None) -> None:
        if model != MODEL:
            raise UnknownModel(f"The onnx embedder has only {MODEL}, not {model}.")
        self._query_prefix = BGE_ENGLISH if query_prefix is None else query_prefix
        self._model = OnnxModel.load(FILES, threads=threads)

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        with watched(PROVIDER, "embed_documents") as call:
            embedded = [self._embed(text) for text in texts]
            usage = Usage(input_tokens=sum(tokens for _, tokens in embedded), calls=1)
            call.spent(usage)
        return EmbeddingBatch([vector for vector, _ in embedded], usage)

    def embed_query(self, text: str) -> Embedding:
        with watched(PROVIDER, "embed_query") as call:
            vector, tokens = self._embed(self._query_prefix + text)
            usage = Usage(input_tokens=tokens, calls=1)
            call.spent(usage)
        return Embedding(vector, usage)

    def _embed(self, text: str) -> tuple[Vector, int]:
        encoding = self._model.encode(text)
        return normalise(self._model.run(encoding)[0]), len(encoding.ids)
