"""A floor on the reranker's score drops unscored results, and the response says so."""

from collections import defaultdict
from dataclasses import replace

import pytest

from providers.endpoint.errors import EndpointUnavailable
from retrieval.recall import RecallTools, recall
from retrieval.types import LeastScores, Part, RecallQuery, RecallResult
from tests.retrieval.fake_reranker import FakeReranker
from tests.retrieval.memory import NOW, Memory

QUERY = RecallQuery("Where did Alice move, Lisbon?", NOW, fills=True)
FLOOR = LeastScores(reranker=0.5)
GOOD: defaultdict[str, float] = defaultdict(lambda: 0.9)


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.unit("Alice moved to Lisbon")
    memory.unit("Alice moved a chair")
    return memory


def ask(told: Memory, tools: RecallTools, reranker: FakeReranker, floor: LeastScores) -> RecallResult:
    return recall(told.bank, replace(QUERY, least_scores=floor), replace(tools, reranker=reranker))


@pytest.mark.parametrize(
    ("reranker", "kept"),
    [(FakeReranker(GOOD, most=1), 1), (FakeReranker(GOOD, failure=EndpointUnavailable("gone")), 0)],
)
def test_reranking_is_named_where_some_could_not_reach_its_floor(
    told: Memory, tools: RecallTools, reranker: FakeReranker, kept: int
) -> None:
    result = ask(told, tools, reranker, FLOOR)
    assert (len(result.items), [one.channel for one in result.left_out]) == (kept, [Part.RERANKING])


@pytest.mark.parametrize(("most", "floor"), [(2, FLOOR), (1, LeastScores(final=0.0))])
def test_nothing_is_missing_where_all_were_read_or_no_floor_is_asked_for(
    told: Memory, tools: RecallTools, most: int, floor: LeastScores
) -> None:
    result = ask(told, tools, FakeReranker(GOOD, most=most), floor)
    assert (len(result.items), result.left_out) == (2, ())
