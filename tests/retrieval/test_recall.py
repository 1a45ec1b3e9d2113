"""The whole pipeline, on rows of a bank."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from banks.lifecycle.deleting import delete_units
from providers.embedding.protocol import Embedding
from providers.errors import UnusableVector
from retrieval import search
from retrieval.access_counts import ACCESS_COUNTS
from retrieval.channels.lookups import Lookups
from retrieval.channels.semantic import NEAREST
from retrieval.errors import NothingSearched, QueryWithoutWords
from retrieval.filters.types import Filters, Tags
from retrieval.recall import RecallTools, recall, recall_across
from retrieval.types import BUDGETS, Channel, Hit, Include, LeastScores, PointInTime, RecallQuery, RecallResult
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_episode
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import NOW, Memory

QUERY = RecallQuery("Where did Alice move, Lisbon?", NOW)


def ids(result: RecallResult) -> list[object]:
    return [item.candidate.id for item in result.items]


def break_channel(monkeypatch: pytest.MonkeyPatch, *channels: Channel) -> None:
    def fail(lookups: Lookups) -> list[Hit]:
        raise RuntimeError("the text of an error")

    broken = dict.fromkeys(channels, fail)
    monkeypatch.setattr(search, "CHANNELS", {**search.CHANNELS, **broken})


def test_the_unit_that_answers_comes_first_with_its_reasons(memory: Memory, tools: RecallTools) -> None:
    alice = memory.entity("Alice")
    message = memory.message("I moved to Lisbon.")
    answer = memory.unit("Alice moved to Lisbon", tags=["travel"], about=[alice])
    memory.quote(answer, message)
    memory.metadata(answer, "channel", "mail")
    memory.unit("Bob bought a bicycle")
    result = recall(memory.bank, QUERY, tools)
    first = result.items[0]
    assert (first.candidate.id, first.bank_id) == (answer.id, memory.bank.bank_id)
    assert set(first.scores.places) >= {Channel.SEMANTIC, Channel.KEYWORD}
    assert (first.candidate.entities, first.candidate.tags) == (("Alice",), ("travel",))
    assert first.candidate.metadata == {"channel": "mail"}
    assert [(span.message_id, span.start, span.end) for span in first.candidate.sources] == [(message.id, 0, 18)]
    assert (result.left_out, result.analysis.entity_ids) == ((), (alice.id,))
    assert result.tokens == sum(item.tokens for item in result.items)


def test_an_empty_bank_gives_an_empty_answer(memory: Memory, tools: RecallTools) -> None:
    assert recall(memory.bank, QUERY, tools).items == ()


def test_a_query_without_words_is_refused(memory: Memory, tools: RecallTools) -> None:
    with pytest.raises(QueryWithoutWords):
        recall(memory.bank, replace(QUERY, text=" ?! "), tools)


@pytest.mark.parametrize("text", ["the of and", "x" * 100_000, "Wo wohnt Алиса 今", "a\x00b \ud800 c"])
def test_any_other_text_is_answered(memory: Memory, tools: RecallTools, text: str) -> None:
    memory.unit("Alice moved to Lisbon")
    assert recall(memory.bank, replace(QUERY, text=text), tools).left_out == ()


def test_at_low_budget_with_a_window_it_takes_eight_statements_at_most(memory: Memory, tools: RecallTools) -> None:
    alice = memory.entity("Alice", mention_count=3)
    for number in range(12):
        memory.quote(memory.unit(f"Alice moved to Lisbon {number}", about=[alice]), memory.message("I moved."))
    memory.chunk(text="Alice spoke of Lisbon")
    chain = [
        memory.unit(word, days=100 * place)
        for place, word in enumerate(["How many times did Alice move to Lisbon", *"abcdef"], 1)
    ]
    for one, other in pairwise(chain):  # a chain that the graph search could follow without end
        memory.link(one, other, type="causes", weight=1.0)
    query = replace(QUERY, text="How many times did Alice move to Lisbon yesterday?", budget=BUDGETS["low"])
    with CaptureQueriesContext(connection) as captured:
        result = recall(memory.bank, query, tools)
    settings = ("set_config", "current_setting", "SAVEPOINT")
    asked = [one["sql"] for one in captured.captured_queries if not any(word in one["sql"][:60] for word in settings)]
    assert any(Channel.TEMPORAL in one.scores.places for one in result.items)
    assert sum("frontier" in one for one in asked) == 2
    assert len(asked) <= 7, [one[:60] for one in asked]  # plus one that fetches the bank


def test_without_a_window_the_archive_is_searched_beside_the_units(memory: Memory, tools: RecallTools) -> None:
    memory.unit("Where did Alice move")
    memory.chunk(text="Alice spoke of Lisbon")
    query = replace(QUERY, text="Where did Alice move, Lisbon?", budget=BUDGETS["low"])
    with CaptureQueriesContext(connection) as captured:
        result = recall(memory.bank, query, tools)
    near = [one["sql"] for one in captured.captured_queries if "pg_index" in one["sql"]]
    assert [("banks_memoryunit" in one, "banks_chunk" in one) for one in near] == [(True, False), (False, True)]
    assert {item.candidate.kind for item in result.items} == {"unit", "chunk"}


def test_superseded_units_are_shown_only_to_questions_about_the_past(memory: Memory, tools: RecallTools) -> None:
    new = memory.unit("Alice lives in Lisbon", days=10)
    closed: dict[str, Any] = {
        "expired_at": NOW - timedelta(days=10),
        "valid_until": NOW - timedelta(days=11),
        "close_reason": "update",
    }
    old = memory.unit("Alice lives in Porto", days=90, valid_from=NOW - timedelta(days=90), superseded_by=new, **closed)
    query = RecallQuery("Where does Alice live?", NOW)
    then = NOW - timedelta(days=50)
    assert ids(recall(memory.bank, query, tools)) == [new.id]
    assert set(ids(recall(memory.bank, replace(query, moment=PointInTime(history=True)), tools))) == {new.id, old.id}
    assert ids(recall(memory.bank, replace(query, moment=PointInTime(known_at=then)), tools)) == [old.id]
    assert old.id in ids(recall(memory.bank, replace(query, moment=PointInTime(as_of=then)), tools))
    assert old.id in ids(recall(memory.bank, replace(query, moment=PointInTime(as_of=then, known_at=NOW)), tools))
    assert old.id in ids(recall(memory.bank, replace(query, text="Where did Alice live previously?"), tools))


def test_a_unit_that_was_closed_later_is_shown_as_known_then(memory: Memory, tools: RecallTools) -> None:
    closing: dict[str, Any] = {"expired_at": NOW, "valid_until": NOW, "close_reason": "update"}
    memory.unit("Alice lives in Porto", days=90, superseded_by=memory.unit("Alice lives in Lisbon", days=0), **closing)
    query = RecallQuery("Where does Alice live?", NOW, moment=PointInTime(known_at=NOW - timedelta(days=50)))
    (item,) = recall(memory.bank, query, tools).items
    shown = item.candidate
    assert (shown.valid_until, shown.expired_at, shown.close_reason, shown.superseded_by) == (None, None, "", None)


def test_a_channel_that_fails_is_left_out_and_the_answer_comes(
    memory: Memory, tools: RecallTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = memory.unit("Alice moved to Lisbon")
    break_channel(monkeypatch, Channel.SEMANTIC, Channel.GRAPH)
    result = recall(memory.bank, replace(QUERY, trace=True), tools)
    assert ids(result) == [answer.id]
    assert {one.channel for one in result.left_out} == {Channel.SEMANTIC, Channel.GRAPH}
    assert result.trace is not None
    assert len(result.trace["left_out"]) == 2
    assert "the text of an error" not in str(result.left_out)


def test_if_every_channel_fails_the_recall_is_refused(
    memory: Memory, tools: RecallTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_channel(monkeypatch, *Channel)
    with pytest.raises(NothingSearched):
        recall(memory.bank, QUERY, tools)


def test_a_statement_that_takes_too_long_costs_its_channel_only(
    memory: Memory, tools: RecallTools, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = memory.unit("Alice moved to Lisbon")
    monkeypatch.setattr("retrieval.channels.semantic.NEAREST", slow_statement())
    settings.RECALL_STATEMENT_SECONDS = 0.05
    result = recall(memory.bank, QUERY, tools)
    assert ids(result) == [answer.id]
    reasons = {one.channel: one.reason for one in result.left_out}
    assert reasons[Channel.SEMANTIC] == "It took longer than its share of time."
    assert Channel.KEYWORD not in reasons


def slow_statement() -> str:
    """Only the search of units is slow. With a serial executor several slow searches would add up."""
    nap = "SELECT pg_sleep(CASE '{row}' WHEN 'unit' THEN 5 ELSE 0 END)"
    return f"(SELECT slow.* FROM ({nap}) AS nap, LATERAL {NEAREST} AS slow)"


class BrokenEmbedder(WordEmbedder):
    def embed_query(self, text: str) -> Embedding:
        raise UnusableVector("broken")


def test_without_an_embedder_words_still_find(memory: Memory, tools: RecallTools) -> None:
    answer = memory.unit("Alice moved to Lisbon")
    query = replace(QUERY, text="Alice in Lisbon, a query that was never embedded")
    result = recall(memory.bank, query, replace(tools, embedder=BrokenEmbedder()))
    assert ids(result) == [answer.id]
    assert {one.channel for one in result.left_out} == {Channel.SEMANTIC, Channel.GRAPH, Channel.ARCHIVE}


def test_a_bank_with_vectors_of_another_model_is_searched_by_words(memory: Memory, tools: RecallTools) -> None:
    other = Memory(make_bank(memory.tenant, embedding_model="another"))
    answer = other.unit("Alice moved to Lisbon")  # the same number of dimensions, but another model
    result = recall(other.bank, QUERY, tools)
    assert ids(result) == [answer.id]
    assert Channel.SEMANTIC in {one.channel for one in result.left_out}


def test_a_bank_with_vectors_of_another_dimension_is_searched_by_words(memory: Memory, tools: RecallTools) -> None:
    answer = memory.unit("Alice moved to Lisbon", embedding=[0.6, 0.8, 0.0])
    memory.quote(answer, memory.chunk(text="Alice said that she moved to Lisbon", embedding=[0.6, 0.8, 0.0]))
    result = recall(memory.bank, QUERY, tools)
    assert ids(result) == [answer.id]
    assert Channel.SEMANTIC in {one.channel for one in result.left_out}


def test_several_banks_give_one_answer_with_the_bank_named(memory: Memory, tools: RecallTools) -> None:
    other = Memory(make_bank(memory.tenant))
    weaker = [memory.unit(f"Alice moved {number}") for number in range(3)]
    best = other.unit("Where did Alice move Lisbon")
    unasked = Memory(make_bank(memory.tenant)).unit("Alice moved to Lisbon")
    result = recall_across([memory.bank, other.bank], QUERY, tools)
    assert (result.items[0].candidate.id, result.items[0].bank_id) == (best.id, other.bank.bank_id)
    assert result.items[0].scores.places[Channel.SEMANTIC].rank == 1
    assert {(item.candidate.id, item.bank_id) for item in result.items[1:]} == {
        (unit.id, memory.bank.bank_id) for unit in weaker
    }
    assert unasked.id not in ids(result)


def test_banks_of_two_tenants_are_never_asked_together(memory: Memory, tools: RecallTools) -> None:
    with pytest.raises(ValueError, match="one tenant"):
        recall_across([memory.bank, make_bank(make_tenant())], QUERY, tools)


def test_results_below_the_least_scores_are_dropped(memory: Memory, tools: RecallTools) -> None:
    memory.unit("Where did Alice move Lisbon")
    assert ids(recall(memory.bank, replace(QUERY, least_scores=LeastScores(reranker=0.1)), tools)) == []


def test_the_floor_of_a_channel_touches_no_other_channel(memory: Memory, tools: RecallTools) -> None:
    best = memory.unit("Where did Alice move Lisbon")
    other = memory.unit("Alice moved to a house")
    result = recall(memory.bank, replace(QUERY, least_scores=LeastScores(semantic=0.9)), tools)
    places = {item.candidate.id: item.scores.places for item in result.items}
    assert Channel.SEMANTIC in places[best.id]
    assert Channel.SEMANTIC not in places[other.id]
    assert Channel.KEYWORD in places[other.id]


def test_included_parts_belong_to_the_results(memory: Memory, tools: RecallTools) -> None:
    alice = memory.entity("Alice", summary="a painter")
    message = memory.message("I moved to Lisbon.")
    chunk = memory.chunk(message)
    one = memory.unit("Alice moved to Lisbon", about=[alice])
    two = memory.unit("Alice moved to Lisbon with Bob")
    memory.quote(one, message)
    memory.link(one, two, type="causes", weight=0.5)
    include = Include(entities=500, chunks=500, source_messages=500, links=True)
    included = recall(memory.bank, replace(QUERY, include=include), tools).included
    assert [(entity.text, entity.unit_ids) for entity in included.entities] == [("Alice: a painter", (one.id,))]
    assert [(found.id, found.unit_ids) for found in included.chunks] == [(chunk.id, (one.id,))]
    assert [(found.id, found.text) for found in included.messages] == [(message.id, "I moved to Lisbon.")]
    assert [(link.source_id, link.target_id, link.type) for link in included.links] == [(one.id, two.id, "causes")]


def test_a_query_by_tags_does_not_return_the_sources_of_an_opinion(memory: Memory, tools: RecallTools) -> None:
    fact, opinion = (
        memory.unit("Alice moved to Lisbon", tags=["ann"]),
        memory.unit("I think Alice moved to Lisbon too early", tags=["ann", "bob"], network="opinion", confidence=0.7),
    )
    hers, his = memory.message("I moved to Lisbon."), memory.message("I'm Bob, and she moved to Lisbon too early.")
    memory.quote(fact, hers)
    memory.quote(opinion, his)
    memory.chunk(his)
    asked = replace(QUERY, include=Include(chunks=500, source_messages=500))
    by_tag = recall(memory.bank, replace(asked, filters=Filters(tags=Tags(("ann",)))), tools)
    assert {item.candidate.id for item in by_tag.items} == {fact.id, opinion.id}
    assert ([one.id for one in by_tag.included.messages], by_tag.included.chunks) == ([hers.id], ())
    assert {one.id for one in recall(memory.bank, asked, tools).included.messages} == {hers.id, his.id}


def test_included_parts_stay_within_their_own_tokens(memory: Memory, tools: RecallTools) -> None:
    unit = memory.unit("Alice moved to Lisbon")
    for text in ("I moved to Lisbon.", "I moved to Lisbon, and here is why. " * 20):
        memory.quote(unit, memory.message(text))
    included = recall(memory.bank, replace(QUERY, include=Include(source_messages=20)), tools).included
    assert [message.text for message in included.messages] == ["I moved to Lisbon."]
    assert included.entities == ()


def test_neighbouring_turns_are_included_if_tokens_are_left(memory: Memory, tools: RecallTools) -> None:
    episode = make_episode(memory.tenant, bank=memory.bank)
    said = [
        memory.message(text, episode=episode, said_at=NOW - timedelta(minutes=10 - minute))
        for minute, text in enumerate(["Hello.", "Where did you go?", "To Lisbon.", "Why?", "The sea."])
    ]
    memory.quote(memory.unit("Alice moved to Lisbon"), said[2])
    include = Include(source_messages=500, neighbours=1)
    included = recall(memory.bank, replace(QUERY, include=include), tools).included
    assert [(one.text, one.is_neighbour) for one in included.messages] == [
        ("To Lisbon.", False),
        ("Where did you go?", True),
        ("Why?", True),
    ]
    few = replace(QUERY, include=replace(include, source_messages=5))
    assert [one.text for one in recall(memory.bank, few, tools).included.messages] == ["To Lisbon."]


def test_the_source_of_a_deleted_memory_is_not_included(memory: Memory, tools: RecallTools) -> None:
    episode = make_episode(memory.tenant, bank=memory.bank)
    both, around = (
        memory.message(text, episode=episode, said_at=NOW - timedelta(minutes=minute))
        for minute, text in ((2, "I moved to Lisbon. My code is 4711."), (1, "Tell nobody that it is 4711."))
    )
    memory.chunk(both, around)
    kept, gone = memory.unit("Alice moved to Lisbon"), memory.unit("The code of Alice is 4711")
    memory.quote(kept, both, start=0, end=18)
    memory.quote(gone, both, start=19, end=35)
    asked = replace(QUERY, include=Include(chunks=500, source_messages=500, neighbours=1))
    assert len(recall(memory.bank, asked, tools).included.chunks) == 1
    with tenant_transaction(memory.tenant.id):
        delete_units(memory.bank, {gone.id})
    included = recall(memory.bank, asked, tools).included
    assert (included.chunks, [one.text for one in included.messages]) == ((), ["I moved to Lisbon."])


def test_recalled_units_are_counted_without_a_write(memory: Memory, tools: RecallTools) -> None:
    noted: list[Sequence[object]] = []
    answer = memory.unit("Alice moved to Lisbon")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ACCESS_COUNTS, "note", lambda tenant_id, unit_ids: noted.append((tenant_id, list(unit_ids))))
        recall(memory.bank, QUERY, tools)
    assert noted == [(memory.tenant.id, [answer.id])]
