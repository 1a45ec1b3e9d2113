"""JSON types are exact: a number is no text, a text no number, and neither is a boolean."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from rest_framework import serializers

import memoryplatform.api
from memoryplatform.api.serializers import Input
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank

WRONG: dict[type[Any], list[Any]] = {
    serializers.CharField: [5, 0.5, True, [], {}],
    serializers.UUIDField: [5, True, []],
    serializers.BooleanField: ["no", "yes", "true", 1, 0, 1.0, []],
    serializers.IntegerField: ["3", "1e3", "3.0", 3.0, 3.5, True, []],
    serializers.FloatField: ["0.5", "nan", True, []],
    serializers.ChoiceField: [5, True, "False", []],
    serializers.DateTimeField: [5, True, []],
}


def list_inputs(base: type[Input] = Input) -> Iterator[type[Input]]:
    for kind in base.__subclasses__():
        yield kind
        yield from list_inputs(kind)


def list_leaves(name: str, field: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The fields of an Input that hold a plain value, each with its path. Nested Inputs are walked separately."""
    if isinstance(field, serializers.ListField | serializers.DictField):
        for way, leaf in list_leaves("0" if isinstance(field, serializers.ListField) else "key", field.child):
            yield (name, *way), leaf
    elif not isinstance(field, serializers.BaseSerializer):
        yield (name,), field


@cache
def all_leaves() -> list[tuple[type[Input], tuple[str, ...], Any]]:
    for module in pkgutil.walk_packages(memoryplatform.api.__path__, "memoryplatform.api."):
        importlib.import_module(module.name)
    return [
        (kind, way, leaf)
        for kind in list_inputs()
        for name, field in kind().fields.items()
        for way, leaf in list_leaves(name, field)
    ]


def wrap(way: tuple[str, ...], value: Any) -> Any:
    for part in reversed(way[1:]):
        value = [value] if part == "0" else {part: value}
    return {way[0]: value}


def is_named(faults: Any, way: tuple[str, ...]) -> bool:
    for part in way:
        faults = {str(name): fault for name, fault in faults.items()}.get(part) if isinstance(faults, dict) else None
    return bool(faults)


@pytest.mark.parametrize("kind", WRONG)
def test_no_field_takes_a_value_of_another_type(kind: type[Any]) -> None:
    leaves = [(shape, way) for shape, way, leaf in all_leaves() if isinstance(leaf, kind)]
    assert leaves
    for shape, way in leaves:
        for value in WRONG[kind]:
            body = shape(data=wrap(way, value))
            assert not body.is_valid(), f"{shape.__name__} took {value!r} for {way}"
            assert is_named(body.errors, way), f"{shape.__name__} did not name {way}: {body.errors}"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("memories/recall", {"query": 5}, "query"),
        ("memories/recall", {"query": "Lisbon", "tags": [1]}, "tags.0"),
        ("memories/recall", {"query": "Lisbon", "tags": "[1]"}, "tags.0"),
        ("memories/recall", {"query": "Lisbon", "tag_groups": [{"not": {"tags": [1]}}]}, "tag_groups.0"),
        ("memories/recall", {"query": "Lisbon", "entities": ["Alice", 7]}, "entities.1"),
        ("memories/recall", {"query": "Lisbon", "max_tokens": "100"}, "max_tokens"),
        ("memories/recall", {"query": "Lisbon", "max_tokens": "1e3"}, "max_tokens"),
        ("memories/recall", {"query": "Lisbon", "max_tokens": 100.0}, "max_tokens"),
        ("memories/recall", {"query": "Lisbon", "max_tokens": 2**70}, "max_tokens"),
        ("memories/recall", {"query": "Lisbon", "trace": "no"}, "trace"),
        ("memories/recall", {"query": "Lisbon", "include": {"links": "on"}}, "include.links"),
        ("memories/recall", {"query": "Lisbon", "min_scores": {"final": "0.5"}}, "min_scores.final"),
        ("memories/recall", {"query": "Lisbon", "min_scores": {"final": 10**400}}, "min_scores.final"),
        ("memories/recall", b'{"query": "Lisbon", "min_scores": {"final": 1e999}}', "min_scores.final"),
        ("memories/recall", {"query": "Lisbon", "metadata": {"floor": 3}}, "metadata.floor"),
        ("memories", {"items": [{"content": 12345}]}, "items.0.content"),
        ("memories", {"items": [{"content": "x", "infer": "no"}]}, "items.0.infer"),
        ("memories", {"items": [{"content": "x", "entities": [{"name": 7}]}]}, "items.0.entities.0.name"),
        ("memories", {"items": [{"content": "x"}], "async": 1}, "async"),
        ("reflect", b'{"query": "Why?", "response_schema": {"minimum": 1e999}}', "response_schema"),
    ],
    ids=str,
)  # fmt: skip
def test_the_answer_names_the_field(call: Caller, alice: Tenant, path: str, body: Any, field: str) -> None:
    make_bank(alice, bank_id="support")
    answer = call("POST", f"/v1/banks/support/{path}", body)
    assert answer.status_code == 422
    assert field in {fault["field"] for fault in answer.json()["errors"]}, answer.json()


@pytest.mark.parametrize("query", ["limit=5", "limit=5.0", "vectors=yes", "vectors=0"])
def test_in_an_address_numbers_and_booleans_are_text(call: Caller, alice: Tenant, query: str) -> None:
    make_bank(alice, bank_id="support")
    path = "/v1/banks/support/export" if "vectors" in query else "/v1/banks"
    assert call("GET", f"{path}?{query}").status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b'{"query": NaN}',
        b'{"query": "x", "min_scores": {"final": Infinity}}',
        b'{"query": "x", "min_scores": {"final": -Infinity}}',
        b'{"query": "x", "query": "y"}',
        b'{"query": "x", "include": {"chunks": null, "chunks": {}}}',
        b'{"query": "x", "\\ud800": 1, "\\ud800": 2}',
        b'{"max_tokens": ' + b"9" * 5_000 + b"}",
        b'{"query": "x"',
        b"\xff",
    ],
    ids=str,
)
def test_invalid_or_ambiguous_json_is_refused(call: Caller, alice: Tenant, body: bytes) -> None:
    make_bank(alice, bank_id="support")
    answer = call("POST", "/v1/banks/support/memories/recall", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"true", b"null", b'[{"query": "x"}]'], ids=str)
@pytest.mark.parametrize("path", ["/v1/banks", "/v1/banks/support/memories", "/v1/banks/support/memories/recall"])
def test_a_body_that_is_no_object_is_refused(call: Caller, alice: Tenant, path: str, body: bytes) -> None:
    make_bank(alice, bank_id="support")
    answer = call("POST", path, body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
