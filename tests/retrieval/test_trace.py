import json
import time
from datetime import UTC, datetime

import pytest

from retrieval.analysis import analyse
from retrieval.filters.types import Filters, Tags
from retrieval.fusion import fuse
from retrieval.packing import pack
from retrieval.plan import WEIGHTS, build_plan
from retrieval.reranking import Reranked
from retrieval.trace import Ordering, Trace
from retrieval.types import Analysis, Channel, Hit, LeftOut, QuestionType, Ranked, RecallQuery, Scores
from tests.clock import holds_to_a_time
from tests.retrieval.factories import ASKED_AT, make_candidate, make_id
from timewords import TimeWindow

MARCH = TimeWindow(datetime(2025, 3, 1, tzinfo=UTC), None, "month", (0, 5), "since March")


def make_analysis() -> Analysis:
    return Analysis(
        text="tea since March",
        search_text="tea since March 2025",
        type=QuestionType.TEMPORAL,
        language="en",
        window=MARCH,
        wants_history=False,
        names=("tea",),
        lexemes=("tea",),
        entity_ids=(make_id(5),),
    )


def make_trace(count: int = 3) -> Trace:
    trace = Trace(RecallQuery("tea", ASKED_AT, filters=Filters(tags=Tags(("home",), "all"))))
    hits = [Hit("unit", make_id(number), 1 / number) for number in range(1, count + 1)]
    for channel in Channel:
        trace.note_channel(channel, hits, seconds=0.01)
    trace.left_out.append(LeftOut(Channel.GRAPH, "took too long"))
    with trace.phase("fuse"):
        fused = fuse(dict.fromkeys(Channel, hits), {})
    reranked = Reranked((None, 0.9, *[None] * (count - 2)), cached=1)
    ranked = [
        Ranked(
            make_candidate("Alice drinks tea.", id=one.id),
            "Alice drinks tea.",
            Scores(one.score, 0.5, 0.9, one.places, {"recency": 1.1}, place=place, is_repeat=place == count),
            "bank",
        )
        for place, one in enumerate(fused, 1)
    ]
    plan = build_plan(trace.query, analyse(trace.query))
    trace.note_result(make_analysis(), Ordering(plan, fused, reranked, ranked, ranked[:3]), pack(ranked, max_tokens=10))
    return trace


def test_the_whole_story_can_be_written_as_json() -> None:
    told = json.loads(json.dumps(make_trace().as_dict()))
    assert told["query"]["temporal_constraint"] == {
        "start": "2025-03-01T00:00:00+00:00",
        "end": None,
        "grain": "month",
        "text": "since March",
    }
    assert (told["query"]["tags"], told["query"]["tags_match"]) == (["home"], "all")
    assert told["query"]["question_type"] == "temporal"
    assert told["left_out"] == [{"method_name": "graph", "reason": "took too long"}]


def test_each_channel_shows_its_ranks_scores_and_time() -> None:
    told = make_trace().as_dict()["retrieval_results"]
    assert [one["method_name"] for one in told] == [channel.value for channel in Channel]
    assert told[0]["duration_seconds"] == 0.01
    assert told[0]["results"][1] == {"rank": 2, "kind": "unit", "id": str(make_id(2)), "score": 0.5}


def test_each_candidate_shows_how_it_came_to_its_place() -> None:
    told = make_trace().as_dict()
    assert told["rrf_merged"][0]["source_ranks"] == {channel.value: 1 for channel in Channel}
    components = told["reranked"][0]["score_components"]
    assert (components["cross_encoder"], components["boosts"], components["final"]) == (0.9, {"recency": 1.1}, 0.5)
    first, second, last = told["reranked"]
    assert (first["rrf_rank"], first["place"], first["reranker_place"], first["is_repeat"]) == (1, 1, 2, False)
    assert (second["place"], second["reranker_place"], last["is_repeat"]) == (2, 1, True)


def test_the_recipe_says_with_which_weights_the_channels_were_fused() -> None:
    told = make_trace().as_dict()["recipe"]
    assert told["channel_weights"] == {
        channel.value: WEIGHTS.get(channel, 1.0) for channel in Channel if not_timed(channel)
    }
    assert (told["rrf_k"], told["combination"]) == (15, {"reranker": 1.0, "fused": 1.0, "k": 60})


def not_timed(channel: Channel) -> bool:
    """Whether the channel was skipped because the query names no time."""
    return channel is not Channel.TEMPORAL


def test_the_trace_counts_results_that_the_token_budget_cut() -> None:
    told = make_trace().as_dict()
    assert len(told["final_results"]) == 2
    assert told["cut_by_token_budget"] == [str(make_id(3))]
    assert told["summary"]["tokens_returned"] == 8


def test_phases_are_timed_also_when_they_fail() -> None:
    trace = make_trace()
    with pytest.raises(RuntimeError), trace.phase("rerank"):
        raise RuntimeError
    phases = trace.as_dict()["summary"]["phase_metrics"]
    assert [phase["phase_name"] for phase in phases] == ["fuse", "rerank"]
    assert all(phase["duration_seconds"] >= 0 for phase in phases)


def test_a_phase_records_its_time_at_its_end() -> None:
    trace = make_trace()
    with trace.phase("rerank") as phase:
        time.sleep(0.002)
    assert phase.seconds >= 0.002
    assert trace.phases[-1] is phase


def test_a_recall_that_ended_early_has_a_trace_too() -> None:
    told = json.loads(json.dumps(Trace(RecallQuery("tea", ASKED_AT)).as_dict()))
    assert told["final_results"] == []
    assert told["query"]["temporal_constraint"] is None


@holds_to_a_time
def test_collecting_copies_nothing() -> None:
    trace = make_trace(300)
    hits = [Hit("unit", make_id(number), 1.0) for number in range(300)]
    assert min(measure(trace, hits) for _ in range(5)) < 0.001
    assert trace.channels[Channel.SEMANTIC].hits is hits


def test_the_graph_is_entered_at_the_nearest_units_that_are_near_enough() -> None:
    told = make_trace().as_dict()["entry_points"]
    assert [(one["id"], one["score"]) for one in told] == [(str(make_id(1)), 1.0), (str(make_id(2)), 0.5)]


def test_a_question_without_the_graph_has_no_entry_points() -> None:
    trace = make_trace()
    del trace.channels[Channel.GRAPH]
    assert trace.as_dict()["entry_points"] == []


def measure(trace: Trace, hits: list[Hit]) -> float:
    assert trace.ordering is not None
    assert trace.packed is not None
    analysis = make_analysis()
    started = time.perf_counter()
    trace.note_channel(Channel.SEMANTIC, hits, seconds=0.1)
    trace.note_result(analysis, trace.ordering, trace.packed)
    return time.perf_counter() - started
