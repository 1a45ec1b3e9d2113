import json
from pathlib import Path
from typing import Any

import pytest

from timewords.benchmark import score_query_ranges, score_recognizers

DAY = ["2024-02-28T00:00:00", "2024-02-28T23:59:59.999999"]


def write(folder: Path, cases: list[dict[str, Any]]) -> Path:
    path = folder / "cases.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    return path


def make_query(
    query: str, wanted: list[str] | None, lang: str = "en", reference: str = "2024-02-29T12:00:00"
) -> dict[str, Any]:
    return {"reference": reference, "query": query, "range": wanted, "lang": lang, "kind": "day"}


def make_statement(text: str, words: str, kind: str, **value: str) -> dict[str, Any]:
    start = text.index(words)
    result = {
        "Text": words,
        "Start": start,
        "End": start + len(words) - 1,
        "TypeName": f"datetimeV2.{kind}",
        "Resolution": {"values": [{"type": kind, **value}]},
    }
    return {"Input": text, "Context": {"ReferenceDateTime": "2016-11-07T00:00:00"}, "Results": [result]}


def test_queries_are_scored_by_language_and_by_whether_they_have_a_range(tmp_path: Path) -> None:
    cases = [
        make_query("yesterday", DAY),
        make_query("who am I", None),
        make_query("what is yesterday's news", None),
        make_query("gestern", DAY, "de"),
    ]
    report = score_query_ranges(write(tmp_path, cases))
    assert report["overall"] == {"accuracy": 0.75, "queries": 4}
    assert report["goals"] == {
        "english_with_range": 1.0,
        "english_without_range": 0.5,
        "other_languages_with_range": 1.0,
    }


def test_a_query_asked_at_several_moments_counts_once(tmp_path: Path) -> None:
    cases = [make_query("yesterday", DAY), make_query("yesterday", DAY, reference="2024-03-02T12:00:00")]
    cases.append(make_query("today", ["2024-02-29T00:00:00", "2024-02-29T23:59:59.999999"]))
    report = score_query_ranges(write(tmp_path, cases))
    assert report["overall"] == {"accuracy": 0.75, "queries": 2}


def test_statements_are_scored_by_kind(tmp_path: Path) -> None:
    cases = [
        make_statement("I left yesterday", "yesterday", "date", value="2016-11-06"),
        make_statement("I left yesterday", "yesterday", "date", value="2016-11-05"),
        make_statement("It was in May 2014", "May 2014", "daterange", start="2014-05-01", end="2014-06-01"),
        make_statement("It lasts for 3 hours", "3 hours", "duration", value="10800"),
    ]
    report = score_recognizers(write(tmp_path, cases))
    assert report["overall"]["expressions"] == 3
    assert report["by_type"]["date"] == {"accuracy": 0.5, "cases": 2}
    assert report["by_type"]["daterange"] == {"accuracy": 1.0, "cases": 1}


def test_the_last_day_of_a_range_may_be_in_or_out_but_exact_ends_differ(tmp_path: Path) -> None:
    case = make_statement(
        "I was out from May 2 to May 9", "from May 2 to May 9", "daterange", start="2016-05-02", end="2016-05-09"
    )
    report = score_recognizers(write(tmp_path, [case]))
    assert report["overall"]["accuracy"] == pytest.approx(1.0)
    assert report["overall"]["accuracy_exact_ends"] == pytest.approx(0.0)


def test_finding_a_date_where_there_is_none_counts_against_us(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [
        {"Input": "I left yesterday", "Results": []},
        {"Input": "May I ask?", "Results": []},
    ]
    report = score_recognizers(write(tmp_path, cases))
    assert report["by_type"]["nothing to find"] == {"accuracy": 0.5, "cases": 2}
