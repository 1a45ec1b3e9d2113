from collections.abc import Iterator, Sequence
from time import monotonic

from tokenizers import Encoding

from providers.deadline import Deadline
from providers.errors import UnknownModel
from providers.onnx_model import TOKENIZER, HelperThreads, ModelFiles, OnnxModel, PackagedFile, SharedWeights
from providers.reranking.pace import Pace
from providers.reranking.protocol import MEMORY_RERANKER, MS_MARCO, Ranking, rank, sigmoid
from providers.usage import Usage, watched

OWN_MODEL = PackagedFile(
    "providers.weights",
    ("memory-reranker-v1.onnx",),
    sha256="0f5b997c83c85e6220839f40d1240781b4cce3046177beb6518db794201a7982",
)
STOCK_MODEL = PackagedFile(
    "providers.weights",
    ("ms-marco-minilm-l-12-v2.onnx",),
    sha256="c7b30e7b18cdc2c60df323ce514569a947e191d948055722aa5512b3f7a40d67",
)
# Training left the embeddings of the words as they were.
WORDS = SharedWeights(
    "bert.embeddings.word_embeddings.weight_quantized", OWN_MODEL, offset=303_123, shape=(30_522, 384)
)
FILES = {
    MEMORY_RERANKER: ModelFiles(OWN_MODEL, TOKENIZER),
    MS_MARCO: ModelFiles(STOCK_MODEL, TOKENIZER, shared=WORDS),
}
PROVIDER = "onnx"
# A pair costs tokens + tokens^2 / 650 units: with twelve layers 0.57 ms a token at 34 tokens, 0.71 ms at 205 and
# 0.89 ms at 420.
ATTENTION_TOKENS = 650


class OnnxReranker:
    """A cross-encoder that scores pair by pair, several pairs at once, each on one thread.

    A pair's score does not depend on the other pairs (see OnnxModel). Many pairs on one thread each are faster than
    one pair on many threads: with twelve layers on 2 cores 20 short passages took 198 ms against 268 ms, 20 of 190
    words 1.45 s against 1.60 s; padded to batches of 20, 254 ms and 1.98 s.
    """

    def __init__(self, *, threads: int, model: str = MEMORY_RERANKER) -> None:
        if model not in FILES:
            raise UnknownModel(f"The onnx reranker has only {' and '.join(FILES)}, not {model}.")
        self._name = model
        self._model = OnnxModel.load(FILES[model], threads=1)
        self._pace = Pace()
        self._helpers = HelperThreads(threads - 1, name="rerank")

    @property
    def model_id(self) -> str:
        """The scores of an unquantised model differ."""
        return f"{self._name}-int8"

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        deadline = Deadline.after(within_seconds)
        scores: list[float | None] = [None] * len(passages)
        read: list[int] = []  # tokens of each scored pair

        def score(item: tuple[int, Encoding]) -> None:
            index, encoding = item
            started = monotonic()
            logit = float(self._model.run(encoding)[0])
            self._pace.learn(predict_work(len(encoding.ids)), monotonic() - started)
            scores[index] = sigmoid(logit)
            read.append(len(encoding.ids))

        with watched(PROVIDER, "rerank") as call:
            pairs = self._encode_while_time_lasts(query, passages, deadline)
            self._helpers.work_through(pairs, score, count=len(passages))
            usage = Usage.of_call("reranking", self._name, sum(read)) if read else Usage()
            call.spent(usage)
        if passages and all(one is None for one in scores) and not deadline.is_over:
            self._pace.hope()
        return rank(scores, usage)

    def _encode_while_time_lasts(
        self, query: str, passages: Sequence[str], deadline: Deadline
    ) -> Iterator[tuple[int, Encoding]]:
        """End at the first passage that does not fit into the time left, so that the scored ones begin the list."""
        for index, passage in enumerate(passages):
            encoding = self._model.encode(query, passage)
            if not deadline.has_room_for(self._pace.predict(predict_work(len(encoding.ids)))):
                return
            yield index, encoding


def predict_work(tokens: int) -> float:
    return tokens + tokens**2 / ATTENTION_TOKENS
