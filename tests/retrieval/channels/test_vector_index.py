"""A large bank's vector index changes the speed of a search, not its results."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banks.enums import Network
from banks.models import Corpus, MemoryUnit
from banks.vector_index.index import VectorIndex, create_index, drop_index, drop_indexes
from retrieval.channels import semantic, temporal
from retrieval.channels.semantic import KNOWN_INDEXES, find_nearest
from retrieval.filters.scope import build_scope
from retrieval.filters.types import Filters, Tags
from retrieval.types import Budget, Channel, PointInTime
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.retrieval.channels.searching import search as search_channel
from tests.retrieval.fakes import DIMENSION, embed
from tests.retrieval.memory import NOW, Memory

WORDS = ["green parrot", "green parrot song", "green", "zebra", "walrus song", "parrot"]


@pytest.fixture
def memory(committed_db: None) -> Iterator[Memory]:
    memory = Memory(make_bank(make_tenant("acme")))
    for word in WORDS:
        memory.unit(word)
    memory.unit("green parrot", expired_at=NOW, close_reason="update")
    yield memory
    drop_indexes(memory.bank.id)


def search(
    memory: Memory, filters: Filters | None = None, moment: PointInTime | None = None
) -> list[tuple[object, float]]:
    scope = build_scope(filters or Filters(), moment or PointInTime())
    limits = {Corpus.UNIT: 4, Corpus.CHUNK: 2}
    found = find_nearest(memory.bank, embed("green parrot"), scope, limits=limits, within_seconds=None)
    return [(hit.id, round(hit.score, 6)) for hit in found.of(Corpus.UNIT)]


def test_the_search_learns_of_the_index_and_finds_the_same(memory: Memory) -> None:
    exact = search(memory)
    assert VectorIndex(memory.bank.id) not in KNOWN_INDEXES
    create_index(VectorIndex(memory.bank.id), DIMENSION)
    assert search(memory) == exact
    assert VectorIndex(memory.bank.id) in KNOWN_INDEXES
    with CaptureQueriesContext(connection) as captured:
        assert search(memory) == exact
    assert any("halfvec" in query["sql"] for query in captured.captured_queries)
    drop_index(VectorIndex(memory.bank.id))
    assert search(memory) == exact
    assert VectorIndex(memory.bank.id) not in KNOWN_INDEXES


def test_each_corpus_is_searched_by_its_own_index(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in WORDS:
        memory.chunk(text=word)
        memory.episode(word)
        memory.relationship(word)
    corpora = (Corpus.CHUNK, Corpus.EPISODE, Corpus.RELATIONSHIP)
    scope, limits = build_scope(Filters(), PointInTime()), dict.fromkeys(corpora, 2)

    def find() -> list[list[tuple[object, float]]]:
        found = find_nearest(memory.bank, embed("green parrot"), scope, limits=limits, within_seconds=None)
        return [[(hit.id, round(hit.score, 6)) for hit in found.of(corpus)] for corpus in corpora]

    exact = find()
    assert [len(hits) for hits in exact] == [2, 2, 2]
    for done, corpus in enumerate(corpora, 1):
        create_index(VectorIndex(memory.bank.id, corpus=corpus), DIMENSION)
        find()
        with CaptureQueriesContext(connection) as captured:
            assert find() == exact
        (statement,) = (query["sql"] for query in captured.captured_queries if "halfvec" in query["sql"])
        assert statement.count("halfvec") == 2 * done
    monkeypatch.setattr(semantic, "tune_index", lambda _limit: {"hnsw.ef_search": "1", "hnsw.iterative_scan": "off"})
    assert find() == exact


def test_filters_that_leave_few_are_searched_without_it(memory: Memory) -> None:
    create_index(VectorIndex(memory.bank.id), DIMENSION)
    tagged = memory.unit("walrus", tags=["rare"])
    search(memory)
    filters = replace(Filters(), tags=Tags(("rare",), "any_strict"))
    assert [row_id for row_id, _ in search(memory, filters)] == [tagged.id]


@pytest.mark.parametrize(
    ("filters", "moment"),
    [
        (Filters(), PointInTime(known_at=NOW - timedelta(days=20))),
        (Filters(), PointInTime(as_of=NOW - timedelta(days=20))),
        (Filters(networks=(Network.EXPERIENCE,)), PointInTime()),
    ],
)
def test_if_most_units_are_hidden_the_visible_ones_are_found(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, filters: Filters, moment: PointInTime
) -> None:
    """As in a large bank, the index scan would end before it reaches a visible unit."""
    with tenant_transaction(memory.tenant.id):
        MemoryUnit.objects.of_bank(memory.bank).update(valid_from=NOW)
    early = memory.unit("walrus", days=30, network="experience")
    exact = search(memory, filters, moment)
    create_index(VectorIndex(memory.bank.id), DIMENSION)
    search(memory)
    short_walk = {"hnsw.ef_search": "1", "hnsw.iterative_scan": "off", "enable_sort": "off"}
    monkeypatch.setattr(semantic, "tune_index", lambda _limit: short_walk)
    assert search(memory, filters, moment) == exact
    assert [row_id for row_id, _ in exact] == [early.id]


def search_times(memory: Memory) -> list[tuple[object, float]]:
    few = Budget(nodes=2, rerank_depth=1, rerank_seconds=None)
    hits = search_channel(Channel.TEMPORAL, memory, "green parrot song yesterday", budget=few)
    return [(hit.id, round(hit.score, 6)) for hit in hits]


def test_a_wide_window_is_searched_by_the_index(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.unit("green parrot song", days=1, occurred_start=NOW - timedelta(days=1))
    memory.unit("green parrot song", days=9)
    exact = search_times(memory)
    assert len(exact) == 2
    create_index(VectorIndex(memory.bank.id), DIMENSION)
    search(memory)
    for wide, is_used in ((100, False), (2, True)):
        monkeypatch.setattr(temporal, "WIDE", wide)
        with CaptureQueriesContext(connection) as captured:
            assert search_times(memory) == exact
        of_window = [query["sql"] for query in captured.captured_queries if "AS began" in query["sql"]]
        assert ["halfvec" in one for one in of_window] == [is_used]
