"""Invalid arguments: the tool names the fault in the API's own words."""

from typing import Any

import pytest
from mcp import MCPError
from pydantic import ValidationError

from memoryplatform.api.mcp.server import TOOLS
from tenants.models import Tenant
from tests.factories import make_key_with_text
from tests.mcp.conftest import Connect
from tests.mcp.connection import ERAS, ToolFailed
from tests.mcp.raw import WITH_HANDSHAKE, WITHOUT, post_call
from tests.retrieval.memory import Memory

ID = "0190c5f4-7a10-7000-8000-000000000000"
REQUIRED = {"query": "Who?", "memory_id": ID, "opinion_id": ID, "entity_id": ID}


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("recall", {}, "query"),
        ("recall", {"query": "   "}, "query"),
        ("recall", {"query": "?!"}, "query"),
        ("recall", {"query": "Who?", "max_tokens": -1}, "max_tokens"),
        ("recall", {"query": "Who?", "max_tokens": 10**12}, "max_tokens"),
        ("recall", {"query": "Who?", "max_tokens": "5"}, "max_tokens"),
        ("recall", {"query": "Who?", "max_results": 0}, "max_results"),
        ("recall", {"query": "Who?", "max_results": 10_001}, "max_results"),
        ("recall", {"query": "Who?", "max_results": "ten"}, "max_results"),
        ("recall", {"query": "Who?", "max_results": True}, "max_results"),
        ("recall", {"query": "Who?", "fill": "yes"}, "fill"),
        ("recall", {"query": "Who?", "budget": "endless"}, "budget"),
        ("recall", {"query": "Who?", "types": ["dream"]}, "types.0"),
        ("recall", {"query": "Who?", "as_of": "yesterday"}, "as_of"),
        ("recall", {"query": "Who?", "as_of": "0001-01-01"}, "as_of"),
        ("recall", {"query": "Who?", "limit": 3}, "limit"),
        ("recall", {"query": "a\x00b"}, "query"),
        ("recall", {"query": "x" * 100_001}, "query"),
        ("retain", {}, ""),
        ("retain", {"content": "A.", "messages": [{"role": "user", "content": "B."}]}, ""),
        ("retain", {"messages": [{"role": "king", "content": "B."}]}, "messages.0.role"),
        ("retain", {"content": "A.", "tags": ["x" * 201]}, "tags.0"),
        ("reflect", {"query": "Who?", "response_schema": {"type": "nothing"}}, "response_schema"),
        ("list_memories", {"limit": 101}, "limit"),
        ("list_memories", {"cursor": "first"}, "cursor"),
        ("get_memory", {"memory_id": "7"}, "memory_id"),
        ("list_opinions", {"min_confidence": 2}, "min_confidence"),
        ("list_entities", {"kind": "GHOST"}, "kind"),
    ],
)
def test_the_argument_at_fault_is_named(
    memory: Memory, alice: Tenant, connected: Connect, tool: str, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolFailed) as failed:
        connected(alice, bank="support").call(tool, **arguments)
    assert failed.value.code == "invalid"
    assert [fault["field"] for fault in failed.value.told["errors"]] == [field]
    assert set(failed.value.told) == {"detail", "code", "request_id", "errors"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "Give either content or messages."),
        ({"content": "A.", "messages": [{"role": "user", "content": "B."}]}, "Give either content or messages."),
        ({"content": "A.", "thread": "t1"}, "Needs messages."),
    ],
)
def test_retain_names_only_its_own_arguments(
    memory: Memory, alice: Tenant, connected: Connect, arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(ToolFailed) as failed:
        connected(alice, bank="support").call("retain", **arguments)
    assert [fault["message"] for fault in failed.value.told["errors"]] == [told]


def test_null_and_empty_arguments_count_as_absent(memory: Memory, alice: Tenant, connected: Connect) -> None:
    client = connected(alice, bank="support")
    assert client.call("list_memories", q="", type=None, tags=[], cursor="", limit="")["total"] == 0
    assert client.call("recall", query="Who?", as_of="", budget="", max_tokens="", tags_match="")["results"] == []
    said = [{"role": "user", "content": "Alice moved to Lisbon.", "name": "", "timestamp": ""}]
    kept = client.call("retain", messages=said, content="", timestamp="", metadata={}, wait="")
    (memory_id,) = kept["memory_ids"]
    assert client.call("forget_memory", memory_id=memory_id, how="")["outcome"] == "deleted"


@pytest.mark.parametrize("empty", [None, "", [], {}])
@pytest.mark.parametrize("name", TOOLS)
def test_no_argument_that_may_be_left_out_is_refused_where_it_is_empty(name: str, empty: object) -> None:
    accepted = TOOLS[name].accepts(bound=True)
    must = {field: REQUIRED[field] for field, told in accepted.model_fields.items() if told.is_required()}
    may = {field: empty for field, told in accepted.model_fields.items() if not told.is_required()}
    assert accepted.model_validate(must | may) == accepted.model_validate(must)


def test_a_text_is_neither_a_number_nor_a_boolean() -> None:
    """Types are as strict as in the HTTP API and in the tools' descriptions."""
    for tool in TOOLS.values():
        accepted = tool.accepts(bound=True)
        must = {name: REQUIRED[name] for name, field in accepted.model_fields.items() if field.is_required()}
        for name, told in accepted.model_json_schema()["properties"].items():
            kinds = {told.get("type"), *(one.get("type") for one in told.get("anyOf", ()))}
            for kind, text in (("integer", "3"), ("number", "1"), ("boolean", "true")):
                if kind in kinds:
                    with pytest.raises(ValidationError, match=name):
                        accepted.model_validate(must | {name: text})


@pytest.mark.parametrize("empty", ["", [], {}])
def test_an_empty_required_argument_is_refused(empty: object) -> None:
    with pytest.raises(ValidationError) as refused:
        TOOLS["get_memory"].accepts(bound=True).model_validate({"memory_id": empty})
    assert [fault["type"] for fault in refused.value.errors()] != ["missing"]


def test_a_bank_must_be_named_where_the_address_names_none(alice: Tenant, connected: Connect) -> None:
    client = connected(alice)
    for bank_id in ({}, {"bank_id": None}):
        with pytest.raises(ToolFailed) as failed:
            client.call("get_bank", **bank_id)
        assert [fault["field"] for fault in failed.value.told["errors"]] == ["bank_id"]
    for bad in ("a/b", "..", "x" * 201):
        with pytest.raises(ToolFailed) as failed:
            client.call("retain", bank_id=bad, content="A.")
        assert failed.value.code == "invalid"


def test_the_address_decides_the_bank_alone(memory: Memory, alice: Tenant, connected: Connect) -> None:
    with pytest.raises(ToolFailed, match="bank_id: Unknown field"):
        connected(alice, bank="support").call("get_bank", bank_id="other")


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(
    memory: Memory, alice: Tenant, connected: Connect, mode: str
) -> None:
    with pytest.raises(MCPError, match="no tool 'drop_everything'"):
        connected(alice, mode=mode).ask("drop_everything")
    with pytest.raises(MCPError, match="no tool 'create_bank'"):
        connected(alice, bank="support", mode=mode).ask("create_bank")


@pytest.mark.parametrize("version", [WITH_HANDSHAKE, WITHOUT])
def test_a_text_of_a_megabyte_is_accepted_and_worked_on_later(
    alice: Tenant, memory: Memory, base_url: str, version: str
) -> None:
    key = make_key_with_text(alice)[1]
    answer = post_call(
        f"{base_url}/mcp/support/?tools=native", key, "retain", {"content": "word " * 200_000}, version=version
    )
    assert answer.status_code == 200
    assert "pending" in answer.text
    assert "completed" not in answer.text


def test_a_lone_surrogate_in_a_field_name_is_escaped(alice: Tenant, memory: Memory, base_url: str) -> None:
    key = make_key_with_text(alice)[1]
    answer = post_call(f"{base_url}/mcp/support/?tools=native", key, "get_bank", {"\ud800": 1}, version=WITHOUT)
    assert answer.status_code == 200
    assert "invalid" in answer.text
    assert "internal_error" not in answer.text
