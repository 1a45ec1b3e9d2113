import sys
import time

import pytest

from providers.errors import MissingExtra, UnknownModel
from providers.reranking.protocol import Scored, sigmoid
from providers.reranking.sentence_transformers import BATCH, SentenceTransformersReranker
from tests.clock import holds_to_a_time
from tests.providers.fake_sentence_transformers import build_module

QUERY = "where does alice work"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", build_module())


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"memoryplatform\[sentence-transformers\]"):
        SentenceTransformersReranker(model="any/model")


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("model", ["no/such-model", "three/labels"])
def test_a_model_that_can_not_serve_is_named(model: str) -> None:
    with pytest.raises(UnknownModel, match=model):
        SentenceTransformersReranker(model=model)


@pytest.mark.usefixtures("library")
def test_scores_are_sigmoids_of_the_logits_best_first() -> None:
    ranked = SentenceTransformersReranker(model="any/model").rerank(QUERY, ["eggs", "alice does work", "alice \ud800"])
    assert ranked == [Scored(1, sigmoid(2)), Scored(2, sigmoid(0)), Scored(0, sigmoid(-1))]


@pytest.mark.usefixtures("library")
def test_without_a_time_box_the_library_batches_by_itself() -> None:
    reranker = SentenceTransformersReranker(model="any/model")
    assert reranker.rerank(QUERY, []) == []
    reranker.rerank(QUERY, ["passage"] * 50)
    assert reranker._model.batches == [50]


@holds_to_a_time
@pytest.mark.usefixtures("library")
def test_a_time_box_ends_the_scoring_after_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    reranker = SentenceTransformersReranker(model="any/model")
    predict = reranker._model.predict

    def predict_slowly(*args: object, **options: object) -> object:
        time.sleep(0.1)
        return predict(*args, **options)

    monkeypatch.setattr(reranker._model, "predict", predict_slowly)
    ranked = reranker.rerank(QUERY, ["passage"] * BATCH * 20, within_seconds=0.45)
    scored = sum(one.score is not None for one in ranked)
    assert BATCH <= scored <= BATCH * 4
    assert [one.index for one in ranked] == list(range(BATCH * 20))
