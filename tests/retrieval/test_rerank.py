from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest

from providers.endpoint.errors import EndpointUnavailable
from retrieval.analysis import MAX_CHARACTERS_TO_RERANK
from retrieval.reranking import PairCache, Reranked, RerankRequest, SkippedPairs, rerank
from retrieval.types import Budget
from tests.retrieval.factories import make_id
from tests.retrieval.fake_reranker import FakeReranker

SCORES = {"tea": 0.2, "coffee": 0.9, "milk": 0.5, "water": 0.1}
ALICE, BOB = make_id(1), make_id(2)


def make_request(
    passages: Sequence[str] = ("tea", "coffee", "milk"),
    *,
    tenant_id: UUID = ALICE,
    depth: int = 16,
    instruction: str = "",
    query: str = "what do I drink",
) -> RerankRequest:
    return RerankRequest(tenant_id, query, passages, Budget(100, depth, 0.15), instruction)


def test_scores_come_in_the_order_of_the_passages() -> None:
    assert rerank(make_request(), FakeReranker(SCORES), cache=PairCache()) == Reranked((0.2, 0.9, 0.5))


def test_only_as_many_as_the_budget_says_are_read() -> None:
    reranker = FakeReranker(SCORES)
    assert rerank(make_request(depth=2), reranker, cache=PairCache()).scores == (0.2, 0.9, None)
    assert reranker.asked == [("what do I drink", ("tea", "coffee"), 0.15, "")]


def test_a_cached_pair_is_not_scored_again() -> None:
    reranker, cache = FakeReranker(SCORES), PairCache()
    rerank(make_request(["tea", "milk"]), reranker, cache=cache)
    again = rerank(make_request(["coffee", "milk", "tea"]), reranker, cache=cache)
    assert again == Reranked((0.9, 0.5, 0.2), cached=2)
    assert [asked[1] for asked in reranker.asked] == [("tea", "milk"), ("coffee",)]


def test_with_all_pairs_cached_the_reranker_is_not_called() -> None:
    reranker, cache = FakeReranker(SCORES), PairCache()
    first = rerank(make_request(), reranker, cache=cache)
    assert rerank(make_request(), reranker, cache=cache).scores == first.scores
    assert len(reranker.asked) == 1


def test_a_pair_that_missed_the_time_box_is_skipped_for_a_minute_and_then_tried() -> None:
    reranker, cache, now = FakeReranker(SCORES, most=1), PairCache(), [0.0]
    skipped = SkippedPairs(clock=lambda: now[0])
    first = rerank(make_request(), reranker, cache=cache, skipped=skipped)
    assert first.scores == (0.2, None, None)
    assert rerank(make_request(), reranker, cache=cache, skipped=skipped).scores == first.scores
    assert len(reranker.asked) == 1
    now[0] = 61.0
    assert rerank(make_request(), reranker, cache=cache, skipped=skipped).scores == (0.2, 0.9, None)


def test_skipped_pairs_are_forgotten_after_a_minute_and_beyond_the_most() -> None:
    now = [0.0]
    skipped = SkippedPairs(most_pairs=3, clock=lambda: now[0])
    skipped.note([b"1", b"2", b"3", b"4"], box=0.1)
    assert [skipped.covers(key, box=0.1) for key in (b"1", b"4")] == [False, True]
    now[0] = 61.0
    skipped.note([b"5"], box=0.1)
    assert len(skipped) == 1


def test_pairs_that_missed_the_time_box_are_counted() -> None:
    reranked = rerank(make_request(), FakeReranker(SCORES, most=1), cache=PairCache(), skipped=SkippedPairs())
    assert reranked.out_of_time == 2


def test_with_more_time_skipped_pairs_are_tried_at_once() -> None:
    reranker, cache, skipped = FakeReranker(SCORES, most=1), PairCache(), SkippedPairs()
    request = make_request()
    rerank(request, reranker, cache=cache, skipped=skipped)
    for seconds in (0.3, None):
        longer = replace(request, budget=replace(request.budget, rerank_seconds=seconds))
        rerank(longer, reranker, cache=cache, skipped=skipped)
    assert [asked[1] for asked in reranker.asked] == [("tea", "coffee", "milk"), ("coffee", "milk"), ("milk",)]


def test_a_box_in_which_nothing_was_scored_keeps_nothing_from_being_tried() -> None:
    reranker, cache, skipped = FakeReranker(SCORES, most=0), PairCache(), SkippedPairs()
    rerank(make_request(), reranker, cache=cache, skipped=skipped)
    rerank(make_request(), reranker, cache=cache, skipped=skipped)
    assert len(reranker.asked) == 2


def test_the_oldest_skipped_pair_is_forgotten_first() -> None:
    skipped = SkippedPairs(most_pairs=2)
    skipped.note([b"a", b"b", b"c"], box=0.1)
    assert [skipped.covers(key, box=0.1) for key in (b"a", b"b", b"c")] == [False, True, True]


@pytest.mark.parametrize(
    "other",
    [make_request(tenant_id=BOB), make_request(instruction="by date"), make_request(query="what do you drink")],
    ids=["tenant", "instruction", "query"],
)
def test_a_score_is_known_only_to_the_same_tenant_for_the_same_question(other: RerankRequest) -> None:
    reranker, cache = FakeReranker(SCORES), PairCache()
    rerank(make_request(), reranker, cache=cache)
    assert rerank(other, reranker, cache=cache).cached == 0
    assert len(reranker.asked) == 2


def test_a_score_of_another_model_does_not_serve() -> None:
    cache = PairCache()
    rerank(make_request(), FakeReranker(SCORES), cache=cache)
    assert rerank(make_request(), FakeReranker(SCORES, model_id="other"), cache=cache).cached == 0


def test_the_instruction_reaches_the_reranker() -> None:
    reranker = FakeReranker(SCORES)
    rerank(make_request(instruction="by date"), reranker, cache=PairCache())
    assert reranker.asked[0][3] == "by date"


def test_a_reranker_that_fails_is_left_out_and_named() -> None:
    reranker = FakeReranker(SCORES, failure=EndpointUnavailable("gone"))
    assert rerank(make_request(), reranker, cache=PairCache()) == Reranked((None,) * 3, failure="EndpointUnavailable")


def test_a_failing_reranker_leaves_the_cached_scores() -> None:
    cache = PairCache()
    rerank(make_request(["tea"]), FakeReranker(SCORES), cache=cache)
    failing = FakeReranker(SCORES, failure=EndpointUnavailable("gone"))
    assert rerank(make_request(), failing, cache=cache).scores == (0.2, None, None)


def test_a_very_long_query_leaves_room_for_the_passage() -> None:
    reranker = FakeReranker(SCORES)
    rerank(make_request(query="word " * 1_000), reranker, cache=PairCache())
    assert len(reranker.asked[0][0]) <= MAX_CHARACTERS_TO_RERANK


def test_without_passages_the_reranker_is_not_called() -> None:
    reranker = FakeReranker(SCORES)
    assert rerank(make_request([]), reranker, cache=PairCache()) == Reranked(())
    assert reranker.asked == []
