"""Tiny runs of the recall suites on data made up here."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from benchmarks.latency import suite as latency
from benchmarks.options import MissingData, Options
from benchmarks.progress import Progress
from benchmarks.recall import locomo, longmemeval, retaining, temporal
from benchmarks.recall.asking import Answered
from benchmarks.recall.cases import Asked, Shape
from benchmarks.recall.channels import subtract
from benchmarks.recall.metrics import measure_cover, measure_sessions, measure_turns
from memoryplatform.embedded.redis import EmbeddedRedis
from retrieval.plan import get_recipe
from retrieval.types import Channel, QuestionType

SESSIONS = {
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I bought a red bicycle in Porto."},
        {"speaker": "Bruno", "dia_id": "D1:2", "text": "My sister plays the cello in an orchestra."},
    ],
    "session_2_date_time": "9:00 am on 20 June, 2023",
    "session_2": [
        {"speaker": "Ana", "dia_id": "D2:1", "text": "The tomatoes in my garden are ripe.", "blip_caption": "tomatoes"},
        {"speaker": "Bruno", "dia_id": "D2:2", "text": "I start my new job at the harbour on Monday."},
    ],
}
ASKED = [
    {"question": "Who plays the cello?", "answer": "Bruno's sister", "evidence": ["D1:02"], "category": 4},
    {"question": "What is ripe in Ana's garden?", "answer": "tomatoes", "evidence": ["D2:1; D9:9"], "category": 1},
    {"question": "What does Ana fly?", "evidence": ["D1:1"], "category": 5},
    {"question": "What is missing?", "answer": "all", "evidence": [], "category": 4},
]


@pytest.fixture
def options(tmp_path: Path, committed_db: None, redis_server: EmbeddedRedis) -> Options:
    return Options(tmp_path, tmp_path / "out", progress=Progress(StringIO()))


def check_windows(reported: dict[str, dict[str, float]]) -> None:
    """Both windows have all of the evidence; the one with relevant results is no larger."""
    filled, relevant = reported["4096"], reported["4096_relevant"]
    assert (filled["all"], filled["recall"]) == (1.0, 1.0)
    assert 0 < relevant["tokens"] <= filled["tokens"] <= 4_096
    assert 0 < relevant["results"] <= filled["results"]


def test_locomo_counts_evidence_turns_and_keeps_the_adversarial_apart(options: Options) -> None:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (options.data / "locomo-few.json").write_text(json.dumps([sample]))
    report = locomo.run(options)
    assert report["questions"] == 2
    assert report["overall"]["turn"]["recall@5"] == 1.0
    assert report["overall"]["session"]["any@5"] == 1.0
    check_windows(report["overall"]["tokens"])
    assert set(report["by_type"]) == {"adversarial", "multi-hop", "single-hop"}
    assert report["latency_ms"]["total"]["p50"] > 0
    assert "facts only" in report["beside"]


@pytest.mark.parametrize("shape", ["documents", "transcript"])
def test_locomo_counts_the_same_turns_in_documents(options: Options, shape: Shape) -> None:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (options.data / "locomo-few.json").write_text(json.dumps([sample]))
    report = locomo.run(replace(options, shape=shape))
    assert report["settings"]["as"] == shape
    assert report["overall"]["turn"]["recall@5"] == 1.0
    check_windows(report["overall"]["tokens"])


def test_leave_one_out_reports_the_contribution_of_each_channel_by_question_type(options: Options) -> None:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (options.data / "locomo-few.json").write_text(json.dumps([sample]))
    report = locomo.run(replace(options, leave_one_out=True))
    channels = report["channels"]
    assert set(channels["overall"]) == {channel.value for channel in Channel}
    assert channels["overall"]["semantic"]["adds"]["turn recall@5"] == 0.0
    factual = channels["by_query_type"]["factual"]
    assert factual["questions"] == 2
    assert factual["graph"]["weight"] == get_recipe(QuestionType.FACTUAL).weigh(Channel.GRAPH)
    assert factual["graph"]["adds_95"]["turn recall@5"] == [0.0, 0.0]


def test_the_contribution_of_a_channel_is_the_loss_without_it() -> None:
    asked = Asked("1", "Who?", "single-hop", datetime(2023, 5, 8, tzinfo=UTC), frozenset({"a"}), frozenset({"a"}))
    found, missed = (
        Answered(
            asked,
            QuestionType.FACTUAL,
            turn=measure_turns(ranked, asked.evidence),
            session=measure_sessions(ranked, asked.evidence),
            tokens=measure_cover(frozenset(ranked), asked.evidence),
            relevant={},
            audited={},
        )
        for ranked in (["a"], ["b"])
    )
    lost = subtract([found, found, missed, found], [found, missed, found, missed])
    assert lost["adds"]["turn recall@5"] == 0.25
    assert lost["adds_95"]["turn recall@5"][0] < 0 < lost["adds_95"]["turn recall@5"][1]


def test_a_kept_haystack_is_asked_again_without_being_retained_again(
    options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (options.data / "locomo-few.json").write_text(json.dumps([sample]))
    kept = replace(options, keep=True)
    first = locomo.run(kept)
    monkeypatch.setattr(retaining, "retain_now", None)
    assert locomo.run(kept)["overall"] == first["overall"]
    with pytest.raises(TypeError):
        locomo.run(options)


def test_a_haystack_that_was_kept_in_part_is_retained_again(options: Options) -> None:
    sample = {"sample_id": "conv-0", "conversation": SESSIONS, "qa": ASKED}
    (options.data / "locomo-few.json").write_text(json.dumps([sample]))
    locomo.run(replace(options, keep=True))
    longer = SESSIONS | {"session_2": [*SESSIONS["session_2"], {"speaker": "Ana", "dia_id": "D2:3", "text": "I fly."}]}
    flying = {"question": "What does Ana do?", "answer": "fly", "evidence": ["D2:3"], "category": 4}
    (options.data / "locomo-few.json").write_text(json.dumps([sample | {"conversation": longer, "qa": [flying]}]))
    assert locomo.run(replace(options, keep=True))["overall"]["turn"]["recall@10"] == 1.0


def test_longmemeval_asks_each_question_of_its_own_haystack(options: Options) -> None:
    turns = [
        {"role": "user", "content": "I adopted a dog called Fado.", "has_answer": True},
        {"role": "assistant", "content": "Congratulations on the dog!"},
    ]
    row = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is my dog called?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [turns],
    }
    (options.data / "longmemeval-few.json").write_text(json.dumps([row, row | {"question_id": "q2_abs"}]))
    report = longmemeval.run(options)
    assert report["questions"] == 1
    assert report["overall"]["turn"]["recall@5"] == 1.0
    assert report["overall"]["session"]["mrr"] == 1.0


def test_temporal_reports_languages_apart(options: Options) -> None:
    case = {"query": "what happened in March 2023?", "lang": "en", "kind": "month", "reference": "2024-01-10T00:00:00"}
    wanted = ["2023-03-01T00:00:00", "2023-03-31T23:59:59.999999"]
    (options.data / "query-ranges.json").write_text(json.dumps([case | {"range": wanted}]))
    report = temporal.run(options)
    assert report["overall"]["accuracy"] == 1.0
    assert "en with range" in report["by_type"]
    (options.data / "query-ranges.json").write_text(json.dumps([case | {"range": wanted}, case | {"range": None}]))
    assert temporal.run(replace(options, limit=1))["overall"]["accuracy"] == 1.0


def test_latency_measures_every_goal(options: Options) -> None:
    facts = [f"In spring {name} bought {thing}." for name in ("Ana", "Bruno") for thing in ("a piano", "tea", "a kite")]
    lines = [json.dumps({"fact": fact, "note_date": "2023-04-25"}) for fact in facts]
    (options.data / "few-notes.jsonl").write_text("\n".join(lines))
    report = latency.run(Options(options.data, options.out, limit=4, progress=options.progress))
    assert all(goal["value"] is not None for goal in report["goals"])
    assert report["write_seen_at_once"] is True
    assert report["eight_clients"]["errors"] == 0


def test_a_suite_without_its_data_says_which_it_wants(options: Options) -> None:
    with pytest.raises(MissingData, match="longmemeval"):
        longmemeval.run(options)
