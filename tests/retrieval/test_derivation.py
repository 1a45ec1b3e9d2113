"""A result's score can be computed from the trace alone, as docs/recall.md describes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from math import prod
from pathlib import Path
from typing import Any

import pytest

from banks.models import MemoryUnit
from providers.reranking.protocol import Ranking, Scored
from providers.usage import Usage
from retrieval.analysis import analyse
from retrieval.plan import build_plan
from retrieval.recall import RecallTools, recall
from retrieval.trace import render_recipe
from retrieval.types import Channel, PointInTime, RecallQuery
from tests.retrieval.memory import NOW, Memory

PAGE = Path(__file__).parents[2] / "docs" / "recall.md"
QUERY = RecallQuery("What did Alice say about Lisbon?", NOW, trace=True, moment=PointInTime(history=True))


def derive_fused(candidate: dict[str, Any], recipe: dict[str, Any]) -> float:
    weights = recipe["channel_weights"]
    shares = [weights[channel] / (recipe["rrf_k"] + rank) for channel, rank in candidate["source_ranks"].items()]
    return float(sum(shares))


def derive_final(candidate: dict[str, Any], recipe: dict[str, Any]) -> float:
    own = recipe["combination"]
    k, by_fusion, by_reranker = own["k"], own["fused"], own["reranker"]
    combined = by_fusion / (k + candidate["place"]) + by_reranker / (k + candidate["reranker_place"])
    factors = candidate["score_components"]["boosts"].values()
    return float(combined / ((by_fusion + by_reranker) / (k + 1)) * prod(factors))


def derive_places(candidates: Sequence[dict[str, Any]], key: Any) -> list[str]:
    return [one["id"] for one in sorted(candidates, key=key)]


class LengthReranker:
    """Prefers long passages, and leaves the third one unscored."""

    model_id = "length"

    def rerank(
        self, query: str, passages: Sequence[str], *, within_seconds: float | None = None, instruction: str = ""
    ) -> Ranking:
        scores = [Scored(index, None if index == 2 else len(text) / 1000) for index, text in enumerate(passages)]
        return Ranking(scores, Usage())


@pytest.fixture
def told(memory: Memory, tools: RecallTools) -> dict[str, Any]:
    """Words of the person in question, repeats of a turn, words under two tags, a superseded fact, and others."""
    remember(memory)
    weights = {Channel.KEYWORD: 1.25, Channel.ARCHIVE: 0.8}
    query = replace(QUERY, channel_weights=weights)
    result = recall(memory.bank, query, replace(tools, reranker=LengthReranker()))
    assert result.trace is not None
    return dict(result.trace)


def remember(memory: Memory) -> None:
    alice = memory.entity("Alice")
    turn = memory.message("I moved to Lisbon, and Lisbon is sunny.", speaker="Alice")
    for text in ("Alice moved to Lisbon", "Lisbon is sunny to Alice", "Alice likes sunny Lisbon a lot"):
        memory.quote(memory.unit(text, about=[alice]), turn)
    memory.quote(memory.unit("Bob did say something about Lisbon"), memory.message("Lisbon is big.", speaker="Bob"))
    supersede(memory, memory.unit("Alice left Lisbon", days=400), "What did Alice say about Lisbon")
    for tag in "ab":
        memory.unit("Alice did say Lisbon", tags=[tag])
    memory.chunk(text="They spoke about Lisbon and the sea")
    for number in range(5):
        memory.unit(f"Lisbon has a house with the number {number}", days=30 * number, importance=number / 5)


def supersede(memory: Memory, newer: MemoryUnit, older: str) -> None:
    then = NOW + timedelta(days=1)
    memory.unit(older, valid_until=then, expired_at=NOW, close_reason="update", superseded_by=newer)


def test_every_fused_score_is_the_sum_of_the_channels_shares(told: dict[str, Any]) -> None:
    assert told["recipe"]["channel_weights"]["keyword"] == 1.25
    for candidate in told["rrf_merged"]:
        assert candidate["rrf_score"] == pytest.approx(derive_fused(candidate, told["recipe"]), rel=1e-12)


def test_every_place_follows_from_the_scores_the_speaker_and_the_repeats(told: dict[str, Any]) -> None:
    candidates = told["reranked"]
    fused = {one["id"]: one["rrf_score"] for one in told["rrf_merged"]}
    for one in candidates:
        parts = one["score_components"]
        assert (parts["rrf"], parts["speaker"] in {1.0, told["recipe"]["speaker"]}) == (fused[one["id"]], True)
    by_place = derive_places(candidates, lambda one: one["place"])
    raised = derive_places(
        candidates,
        lambda one: (
            one["comes_last"],
            one["is_repeat"],
            -(one["score_components"]["rrf"] + one["score_components"]["neighbour"])
            * one["score_components"]["speaker"],
            one["rrf_rank"],
        ),
    )
    assert by_place == raised
    assert sum(one["is_repeat"] for one in candidates) == 2
    assert sum(one["comes_last"] for one in candidates) == 1
    assert any(one["score_components"]["speaker"] > 1 for one in candidates)
    assert by_place != derive_places(candidates, lambda one: one["rrf_rank"])


def test_every_place_of_the_reranker_follows_from_its_scores(told: dict[str, Any]) -> None:
    def order(one: dict[str, Any]) -> tuple[bool, float, int]:
        score = one["score_components"]["cross_encoder"]
        return score is None, -(score or 0.0), one["place"]

    by_reranker = derive_places(told["reranked"], lambda one: one["reranker_place"])
    assert by_reranker == derive_places(told["reranked"], order)
    assert any(one["score_components"]["cross_encoder"] is None for one in told["reranked"])


def test_every_final_score_follows_from_the_places_and_the_boosts(told: dict[str, Any]) -> None:
    ranked = {one["id"]: one for one in told["reranked"]}
    assert len(told["final_results"]) == len(ranked)
    for result in told["final_results"]:
        one = ranked[result["id"]]
        assert result["score"] == one["score_components"]["final"]
        assert result["score"] == pytest.approx(derive_final(one, told["recipe"]), rel=1e-12)
    ordered = sorted(ranked.values(), key=lambda one: (one["comes_last"], -one["score_components"]["final"]))
    assert [one["id"] for one in ordered] == [result["id"] for result in told["final_results"]]
    assert sum(one["comes_last"] for one in ordered) == 1
    assert any("succession" in one["score_components"]["boosts"] for one in ranked.values())


def test_the_example_of_the_page_adds_up() -> None:
    page = PAGE.read_text()
    recipe = render_recipe(build_plan(QUERY, analyse(QUERY)))
    candidate = {
        "source_ranks": {"semantic": 2, "keyword": 1, "archive": 3, "graph": 4},
        "place": 3,
        "reranker_place": 1,
        "score_components": {"boosts": {}},
    }
    fused, combined = derive_fused(candidate, recipe), derive_final(candidate, recipe)
    candidate["score_components"] = {"boosts": {"speaker": 1.1, "recency": 1.004, "proof": 1.006}}
    final = derive_final(candidate, recipe)
    neighbour = recipe["neighbour"] * 0.1200
    raised = (fused + neighbour) * recipe["speaker"]
    told = [f"{number:.4f}" for number in (fused, neighbour, raised, combined, final)]
    assert told == ["0.2032", "0.0600", "0.4211", "0.9841", "1.0934"]
    assert all(f"= {number}" in page for number in told)
