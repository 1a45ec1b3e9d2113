from collections.abc import Sequence

from providers.assistants import Assistants
from providers.errors import UnknownModel
from providers.onnx_model import ModelFiles, OnnxModel
from providers.reranking.pair_scoring import PairScoring
from providers.reranking.protocol import Ranking
from providers.reranking.ranking import rank
from providers.reranking.time_box import Pace, TimeBox
from providers.watch import watched

MODEL = "cross-encoder/ms-marco-MiniLM-L-12-v2"
MODEL_ID = f"{MODEL}-int8"  # the unquantised model's scores are not the same
FILES = ModelFiles(
    folder="reranker_en",
    model_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
PROVIDER = "onnx"


class OnnxReranker:
    """A cross-encoder that scores pair by pair, several pairs at once, each on one thread.

    A pair's score does not depend on its companions (see OnnxModel). Many pairs on one thread each are faster than
    one pair on many threads: on 2 cores 20 short passages took 198 ms against 268 ms, 20 of 190 words 1.45 s against
    1.60 s; padded to batches of 20, 254 ms and 1.98 s.
    """

    model_id = MODEL_ID

    def __init__(self, *, threads: int, model: str = MODEL) -> None:
        if model != MODEL:
            raise UnknownModel(f"The onnx reranker has only {MODEL}, not {model}.")
        self._model = OnnxModel.load(FILES, threads=1)
        self._pace = Pace()
        self._assistants = Assistants(threads - 1, name="rerank")

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        box = TimeBox.starting_now(within_seconds)
        with watched(PROVIDER, "rerank"):
            scoring = PairScoring(self._model, self._pace, query, passages, box)
            self._assistants.work_off(scoring, pieces=len(passages))
        if passages and scoring.scored_nothing and box.has_room_for(0.0):
            self._pace.hope()
        return rank(scoring.scores)
