"""`filters`: one tree over tags, metadata, entities and times."""

from typing import Any

import pytest

from tests.api.conftest import Caller
from tests.api.recall.conftest import Ask
from tests.retrieval.memory import Memory

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
HUNDRED = [f"tag {number}" for number in range(100)]
# NOW of the factory is 2026-06-15. Every text has the word Lisbon.
CASES: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"plan", "trip", "note"}),
    ({"tags": "work"}, {"plan"}),
    ({"tags": ["work", "home"]}, {"plan", "trip"}),
    ({"tags": {"contains": "work"}}, {"plan"}),
    ({"tags": {"ne": "work"}}, {"trip", "note"}),
    ({"tags": {"nin": ["work", "home"]}}, {"note"}),
    ({"tags": {"exists": True}}, {"plan", "trip"}),
    ({"tags": None}, {"note"}),
    ({"metadata": {"priority": "3"}}, {"plan"}),
    ({"metadata": {"priority": 3}}, {"plan"}),
    ({"metadata": {"priority": [3, 10]}}, {"plan", "trip"}),
    ({"metadata": {"priority": {"gt": 3}}}, {"trip"}),
    ({"metadata": {"priority": {"gte": 3, "lt": 10}}}, {"plan"}),
    ({"metadata": {"priority": {"lte": 10.0}}}, {"plan", "trip"}),
    ({"metadata": {"priority": {"ne": 3}}}, {"trip", "note"}),
    ({"metadata": {"priority": {"exists": False}}}, {"note"}),
    ({"metadata": {"due": {"lte": "2026-05-18"}}}, {"plan"}),
    ({"metadata": {"due": {"gt": "2026-05-18"}}}, {"trip"}),
    ({"metadata": {"due": {"gte": "2026-05-18", "lt": "2026-06-01"}}}, {"plan"}),
    ({"metadata": {"due": {"gt": 3}}}, set()),
    ({"metadata": {"place": {"contains": "it's"}}}, {"note"}),
    ({"metadata": {"place": {"icontains": "IT'S"}}}, {"note"}),
    ({"metadata": {"place": "'; DROP TABLE banks_bank; -- %s {} $1"}}, set()),
    ({"metadata": {"'; SELECT $1 --": {"gt": 1}}}, set()),
    ({"entities": "alice"}, {"trip"}),
    ({"entities": {"exists": False}}, {"plan", "note"}),
    ({"mentioned": {"gte": "2026-06-13"}}, {"plan", "trip"}),
    ({"mentioned": "2026-06-14"}, {"plan"}),
    ({"mentioned": {"lt": "2026-06-13T12:00:00Z"}}, {"note"}),
    ({"occurred": {"exists": True}}, {"note"}),
    ({"occurred": {"gte": "2026-01-01", "lte": "2026-01-31"}}, {"note"}),
    ({"not": {"occurred": {"gte": "2026-01-01"}}}, {"plan", "trip"}),
    ({"or": [{"tags": "work"}, {"metadata": {"priority": {"gte": 10}}}]}, {"plan", "trip"}),
    ({"and": [{"tags": {"exists": True}}, {"not": {"entities": "Alice"}}]}, {"plan"}),
    ({"OR": [{"entities": "Alice"}, {"NOT": {"tags": {"exists": True}}}]}, {"trip", "note"}),
    ({"not": [{"tags": "work"}, {"entities": "Alice"}]}, {"note"}),
]
REFUSED: list[tuple[str, Any]] = [
    ("filters", ["a"]),
    ("filters", {"or": [{"metadata": {"a": str(number)}} for number in range(1_000)]}),
    ("filters", {"or": [{"tags": HUNDRED * 10} for _ in range(3)]}),
    ("filters.tags", {"tags": ["a"] * 1_001}),
    ("filters.tags", {"tags": {"gt": "a"}}),
    ("filters.tags", {"tags": 7}),
    ("filters.metadata.a", {"metadata": {"a": "x" * 1_000_000}}),
    ("filters.metadata.a", {"metadata": {"a": {"contains": "x" * 501}}}),
    ("filters.metadata.a", {"metadata": {"a": {"gt": "high"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"gt": "3"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"gte": 3, "lt": "2026-05-18"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"gt": 3, "lte": 3}}}),
    ("filters.metadata.a", {"metadata": {"a": {"lte": "2026-13-45"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"like": "x"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"exists": "yes"}}}),
    ("filters.metadata.a", {"metadata": {"a": {"b": {"c": 1}}}}),
    ("filters.occurred", {"occurred": {"gte": LATE, "lt": EARLY}}),
    ("filters.mentioned", {"mentioned": {"gt": "2026-05-18", "lte": "2026-05-18T10:00:00Z"}}),
    ("filters.mentioned", {"mentioned": {"gte": "soon"}}),
    ("filters.colour", {"colour": "red"}),
    ("filters.or.not.colour", {"or": [{"not": {"colour": "red"}}]}),
]


def test_every_operator_filters(memory: Memory, ask: Ask) -> None:
    made = {
        "plan": memory.unit("Lisbon is the plan", days=1, tags=["work"]),
        "trip": memory.unit("Lisbon was a trip", days=2, tags=["home"], about=[memory.entity("Alice")]),
        "note": memory.unit("Lisbon in a note", days=3, occurred_start="2026-01-10T00:00:00Z"),
    }
    memory.metadata(made["plan"], "priority", "3")
    memory.metadata(made["plan"], "due", "2026-05-18T10:00")
    memory.metadata(made["trip"], "priority", "json:10")
    memory.metadata(made["trip"], "due", "2026-06-18")
    memory.metadata(made["note"], "place", "where it's warm")
    names = {str(unit.id): name for name, unit in made.items()}
    for filters, expected in CASES:
        answer = ask("Lisbon", filters=filters)
        assert answer.status_code == 200, (filters, answer.content)
        assert {names[one["id"]] for one in answer.json()["results"]} == expected, filters


def test_a_day_is_a_day_in_the_zone_of_the_question(memory: Memory, ask: Ask) -> None:
    memory.unit("Lisbon is the plan", mentioned_at="2026-06-14T23:30:00Z")
    filters = {"mentioned": "2026-06-15"}
    assert not ask("Lisbon", filters=filters).json()["results"]
    assert ask("Lisbon", filters=filters, query_timestamp="2026-06-20T12:00:00+02:00").json()["results"]


def test_the_tree_joins_the_other_filters(memory: Memory, ask: Ask) -> None:
    both = memory.unit("Lisbon is the plan", tags=["work", "draft"])
    memory.unit("Lisbon is the plan now", tags=["work"])
    memory.unit("Lisbon was the plan", tags=["draft"])
    results = ask("Lisbon", tags=["work"], tags_match="any_strict", filters={"tags": "draft"}).json()["results"]
    assert [one["id"] for one in results] == [str(both.id)]


def test_a_unit_made_under_several_tags_stays_hidden(memory: Memory, ask: Ask) -> None:
    memory.unit("Lisbon is lovely", tags=["formed:under-several-tags"])
    assert not ask("Lisbon", filters={"tags": {"ne": "work"}}).json()["results"]
    assert not ask("Lisbon", filters={"or": [{"tags": {"ne": "work"}}, {"entities": "Alice"}]}).json()["results"]
    assert ask("Lisbon", filters={"entities": {"exists": False}}).json()["results"]


@pytest.mark.parametrize(("field", "filters"), REFUSED, ids=lambda value: str(value)[:40])
def test_a_filter_that_makes_no_sense_is_refused_by_its_field(ask: Ask, field: str, filters: Any) -> None:
    answer = ask("Lisbon", filters=filters)
    assert answer.status_code == 422, answer.content
    assert [fault["field"] for fault in answer.json()["errors"]] == [field]


def test_a_reflect_takes_the_tree_too(call: Caller, memory: Memory) -> None:
    answer = call("POST", "/v1/banks/support/reflect", {"query": "Lisbon", "filters": {"metadata": {"a": {"gt": "x"}}}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "filters.metadata.a")
