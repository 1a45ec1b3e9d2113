from collections.abc import Sequence

import numpy as np

from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.engines.protocol import KnownFact
from banks.retain.types import ExtractedFact
from banks.words import Mode
from providers.embedding.protocol import EmbeddingBatch
from providers.usage import Usage
from tests.banks.retain.engines.builtin.talk import make_passage


def calibrated(*lines: str, known: Sequence[str]) -> tuple[ExtractedFact, ...]:
    facts = [KnownFact(id=str(place), text=text) for place, text in enumerate(known)]
    return BuiltinEngine().extract(make_passage(*lines), mode=Mode.CALIBRATED, known=facts).facts


def test_with_nothing_known_it_extracts_cold() -> None:
    (fact,) = calibrated("Ann: I planted an apple tree.", known=[])
    assert fact.novelty is None


def test_what_is_known_is_dropped_and_the_rest_is_new() -> None:
    facts = calibrated(
        "Ann: I planted an apple tree in the garden.",
        "Tom: My motorcycle broke down near Oslo.",
        known=["Ann planted an apple tree in the garden."],
    )
    assert [(fact.quotes[0].turn, fact.novelty) for fact in facts] == [(1, "new")]


def test_another_value_of_the_same_relation_is_an_update() -> None:
    (fact,) = calibrated("Ann: I live in Boston.", known=["Ann lives in Berlin."])
    assert fact.novelty == "update"


def test_the_opposite_of_what_is_known_is_a_contradiction() -> None:
    (fact,) = calibrated("Ann: I hate jazz.", known=["Ann loves jazz."])
    assert fact.novelty == "contradiction"


def test_importance_grows_with_the_miss() -> None:
    known = ["Ann planted an apple tree in the garden."]
    (near,) = calibrated("Ann: I planted an apple tree with Bob and his two dogs.", known=known)
    (far,) = calibrated("Ann: The telescope arrived broken.", known=known)
    (wrong,) = calibrated("Ann: I live in Boston.", known=["Ann lives in Berlin."])
    assert near.importance < far.importance <= wrong.importance


def test_causes_point_at_the_facts_that_were_kept() -> None:
    facts = calibrated(
        "Ann: I planted an apple tree in the garden.",
        "Ann: The barn roof collapsed in the storm.",
        "Ann: I sold the horses because the barn roof collapsed.",
        known=["Ann planted an apple tree in the garden."],
    )
    assert [cause.target for fact in facts for cause in fact.causes] == [0]


def test_an_embedder_knows_a_paraphrase_and_its_usage_is_counted() -> None:
    def embed(texts: Sequence[str]) -> EmbeddingBatch:
        return EmbeddingBatch([np.ones(1, dtype=np.float32) for _ in texts], Usage(input_tokens=7, calls=1))

    engine = BuiltinEngine(embed=embed)
    known = [KnownFact(id="1", text="Something altogether different.")]
    extraction = engine.extract(make_passage("Ann: I planted a tree."), mode=Mode.CALIBRATED, known=known)
    assert extraction.facts == ()
    assert extraction.usage == Usage(input_tokens=7, calls=1)
