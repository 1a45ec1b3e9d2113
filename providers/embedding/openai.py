from collections.abc import Iterator, Sequence
from functools import partial
from threading import Lock

import httpx2
import openai
from pydantic import BaseModel, ValidationError

from providers import tokens
from providers.embedding.protocol import Embedding, EmbeddingBatch, find_query_prefix
from providers.embedding.vector import Vector, normalise
from providers.endpoint.endpoint import Endpoint
from providers.endpoint.errors import ErrorClasses
from providers.endpoint.limits import EndpointConfig, RetryPolicy
from providers.errors import UnusableVector
from providers.tokens import encodable
from providers.usage import Usage

PATH = "/embeddings"
BATCH = 32  # the default maximum of text-embeddings-inference; OpenAI takes 2,048
MAX_TOKENS = 8_000  # OpenAI's models take 8,191 and refuse a longer text


class WireEmbedding(BaseModel):
    index: int
    embedding: list[float]


class WireUsage(BaseModel):
    prompt_tokens: int = 0


class WireEmbeddings(BaseModel):
    data: list[WireEmbedding]
    usage: WireUsage | None = None


class OpenAIEmbedder:
    """Any endpoint that speaks OpenAI's embedding protocol.

    `dimension` is the length of the first vector. A vector of another length is an error: it could not be compared with
    the stored ones.
    """

    def __init__(
        self,
        config: EndpointConfig,
        *,
        model: str,
        query_prefix: str | None = None,
        policy: RetryPolicy | None = None,
        model_id: str | None = None,
    ) -> None:
        self.model_id = model_id or model
        self._model = model
        self._query_prefix = (find_query_prefix(model) or "") if query_prefix is None else query_prefix
        self._endpoint = Endpoint(config, classes=ErrorClasses(), policy=policy)
        self._dimension: int | None = None
        self._lock = Lock()

    @property
    def dimension(self) -> int:
        """Asks the endpoint if nothing has been embedded yet."""
        if self._dimension is None:
            self.embed_query("dimension")
        if self._dimension is None:
            raise UnusableVector("The endpoint gave no vector to measure.")
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        vectors: list[Vector] = []
        usage = Usage()
        for start in range(0, len(texts), BATCH):
            batch = self._embed("embed_documents", texts[start : start + BATCH])
            vectors += batch.vectors
            usage += batch.usage
        return EmbeddingBatch(vectors, usage)

    def embed_query(self, text: str) -> Embedding:
        batch = self._embed("embed_query", [self._query_prefix + text])
        return Embedding(batch.vectors[0], batch.usage)

    def _embed(self, kind: str, texts: Sequence[str]) -> EmbeddingBatch:
        prepared = [prepare(text) for text in texts]
        deadline = self._endpoint.start(None)
        answered = self._endpoint.ask(kind, partial(post, self._model, prepared), deadline)
        with answered.held:
            answer = read_embeddings(answered.value.content)
            usage = build_usage(answer.usage, prepared, self._model)
            answered.call.spent(usage)
            vectors = [self._check(vector) for vector in order_vectors(answer, len(prepared))]
        return EmbeddingBatch(vectors, usage)

    def _check(self, vector: Vector) -> Vector:
        with self._lock:
            self._dimension = self._dimension or len(vector)
        if len(vector) != self._dimension:
            raise UnusableVector(f"The endpoint gave {len(vector)} dimensions after it gave {self._dimension}.")
        return vector


def prepare(text: str) -> str:
    """Avoid the empty string and a text beyond the model's limit: endpoints refuse both."""
    return tokens.truncate(encodable(text), MAX_TOKENS) or " "


def post(model: str, texts: list[str], client: openai.OpenAI, timeout: float) -> httpx2.Response:
    body = {"model": model, "input": texts, "encoding_format": "float"}
    return client.post(PATH, cast_to=httpx2.Response, body=body, options={"timeout": timeout})


def read_embeddings(body: bytes) -> WireEmbeddings:
    try:
        return WireEmbeddings.model_validate_json(body)
    except ValidationError as error:
        faults = error.error_count()
    raise UnusableVector(f"The endpoint's answer is no list of embeddings ({faults} faults).")


def order_vectors(answer: WireEmbeddings, count: int) -> Iterator[Vector]:
    """Put the vectors into the order of the texts: the endpoint may give another one."""
    by_index = {one.index: one.embedding for one in answer.data}
    if len(answer.data) != count or set(by_index) != set(range(count)):
        raise UnusableVector(f"The endpoint gave {len(answer.data)} embeddings for {count} texts.")
    return (normalise(by_index[index]) for index in range(count))


def build_usage(counted: WireUsage | None, texts: Sequence[str], model: str) -> Usage:
    if counted and counted.prompt_tokens:
        return Usage.of_call("embedding", model, counted.prompt_tokens)
    return Usage.of_call("embedding", model, sum(tokens.count(text) for text in texts), estimated=True)
