"""Hindsight's tools at `/mcp/` and `/mcp/{bank_id}/`, through the official client."""

import json
from typing import Any
from uuid import UUID

import httpx2
import pytest

from banks.models import Bank
from memoryplatform.api.mcp.server import HINDSIGHT_TOOLS, TOOL_SETS
from memoryplatform.api.mcp.tools.tool import ToolSet
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_key_with_text, make_tenant
from tests.mcp.conftest import Connect
from tests.mcp.connection import Connection, ToolFailed
from tests.mcp.raw import WITHOUT, build_headers, post_call
from tests.memory_factories import make_bank_alias
from tests.retrieval.memory import Memory

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
OF_ALL_BANKS = {"list_banks", "create_bank", "get_bank_stats"}


def list_banks(tenant: Tenant) -> list[str]:
    with tenant_transaction(tenant.id):
        return sorted(Bank.objects.for_tenant(tenant.id).live().values_list("bank_id", flat=True))


def test_all_thirty_nine_tools_are_listed(alice: Tenant, connected_like_hindsight: Connect) -> None:
    tools = connected_like_hindsight(alice).list()
    assert len(tools) == 39
    assert [name for name, tool in tools.items() if "bank_id" not in tool.input_schema["properties"]] == ["list_banks"]
    assert [name for name, tool in tools.items() if "bank_id" in tool.input_schema.get("required", ())] == [
        "create_bank"
    ]
    bound = connected_like_hindsight(alice, bank="new").list()
    assert set(tools) - set(bound) == OF_ALL_BANKS
    assert not [name for name, tool in bound.items() if "bank_id" in tool.input_schema["properties"]]
    destructive = {name for name, tool in tools.items() if tool.annotations and tool.annotations.destructive_hint}
    assert {"delete_bank", "clear_memories", "invalidate_memory", "delete_document"} <= destructive
    assert "recall" not in destructive


def test_the_tools_fit_into_a_prompt(alice: Tenant, connected_like_hindsight: Connect) -> None:
    """The size of the tools' descriptions, at about four characters per token."""
    tools = connected_like_hindsight(alice, bank="new").list().values()
    read = [{"name": tool.name, "description": tool.description, "schema": tool.input_schema} for tool in tools]
    assert len(json.dumps(read)) < 4 * 4_000


def test_a_new_bank_is_connected_and_made_by_the_first_write(alice: Tenant, connected_like_hindsight: Connect) -> None:
    client = connected_like_hindsight(alice, bank="fresh")
    found = client.call("recall", query="Where does Bob sail?")
    assert (found["results"], found["notes"]) == ([], ["There is no bank 'fresh' yet: the first retain makes it."])
    assert list_banks(alice) == []
    kept = client.call("sync_retain", content="Bob sails in Kiel.", tags=["sea"])
    assert (kept["status"], kept["items_count"], list_banks(alice)) == ("completed", 1, ["fresh"])
    (result,) = client.call("recall", query="Where does Bob sail?", tags='["sea"]', max_tokens="500")["results"]
    assert (result["text"], result["tags"]) == ("Bob sails in Kiel.", ["sea"])
    assert set(result) <= {"id", "text", "type", "context", "entities", "mentioned_at", "document_id", "tags"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_directive", {"name": "Tone", "content": "Be kind."}),
        ("create_mental_model", {"name": "Boats", "source_query": "Which boats?"}),
        ("create_knowledge_folder", {"name": "Sea"}),
        ("create_knowledge_page", {"name": "Boats", "source_query": "Which boats?"}),
        ("update_bank", {"name": "Nora"}),
    ],
)
def test_every_write_makes_the_bank(
    alice: Tenant, connected_like_hindsight: Connect, tool: str, arguments: dict[str, Any]
) -> None:
    connected_like_hindsight(alice, bank="fresh").call(tool, **arguments)
    assert list_banks(alice) == ["fresh"]


def test_a_call_without_a_bank_goes_to_the_one_of_the_header_or_the_default(
    alice: Tenant, connected_like_hindsight: Connect
) -> None:
    with_header = connected_like_hindsight(alice, headers={"X-Bank-Id": "mine"})
    with_header.call("sync_retain", content="Bob sails.")
    assert list_banks(alice) == ["mine"]
    with_header.call("sync_retain", content="Bob sails.", bank_id="other")
    connected_like_hindsight(alice).call("sync_retain", content="Bob sails.")
    assert list_banks(alice) == ["default", "mine", "other"]


def test_arguments_are_read_leniently(alice: Tenant, memory: Memory, connected_like_hindsight: Connect) -> None:
    memory.unit("Bob has a boat")
    client = connected_like_hindsight(alice, bank="support")
    found = client.call(
        "recall", query="Bob boat", max_tokens="400", types="world", top_k=3, tags=None, bank_id="other"
    )
    assert [one["text"] for one in found["results"]] == ["Bob has a boat"]
    assert found["notes"] == [
        "The argument 'bank_id' is unknown and was ignored.",
        "The argument 'top_k' is unknown and was ignored.",
    ]
    kept = client.call("sync_retain", content="Bob rows.", metadata={"n": 1, "b": True, "c": None}, tags=["a", None, 3])
    assert kept["status"] == "completed"
    (rows,) = client.call("recall", query="Who rows?", budget="HIGH", tags="3", tags_match="any_strict")["results"]
    assert (rows["metadata"], rows["tags"]) == ({"n": "1", "b": "true"}, ["3", "a"])
    assert client.call("list_memories", limit="1")["limit"] == 1
    listed = client.call("list_directives", active_only="false")
    assert listed["items"] == []
    with pytest.raises(ToolFailed) as failed:
        client.call("recall", query="Bob boat", max_tokens="many")
    assert failed.value.told["errors"][0]["field"] == "max_tokens"
    with pytest.raises(ToolFailed) as failed:
        client.call("recall")
    assert failed.value.told["errors"][0]["field"] == "query"
    for tool, arguments in {"recall": {"query": "Bob?"}, "sync_retain": {"content": "Bob."}}.items():
        with pytest.raises(ToolFailed) as failed:
            connected_like_hindsight(alice).call(tool, bank_id="a/b", **arguments)
        assert failed.value.told["code"] == "bank_id_invalid"


def call_every_tool(client: Connection, alice: Tenant) -> dict[str, dict[str, Any]]:
    """A story that calls each tool once."""
    told: dict[str, dict[str, Any]] = {}

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        told[tool] = client.call(tool, **arguments)
        return told[tool]

    call("create_bank", bank_id="default", name="Nora", mission="I help.")
    call("sync_retain", content="Bob sails in Kiel.", document_id="letters/1", tags=["sea"], metadata={"a": "b"})
    pending = call("retain", content="Bob bought a boat.")
    call("list_operations", active_only=True, limit="5")
    call("get_operation", operation_id=pending["operation_id"])
    call("cancel_operation", operation_id=pending["operation_id"])
    memory_id = call("list_memories", q="sails")["items"][0]["id"]
    call("get_memory", memory_id=memory_id)
    call("update_memory", memory_id=memory_id, text="Bob sails in Kiel on Sundays.")
    call("recall", query="Where does Bob sail?")
    call("reflect", query="Where does Bob sail?", include_trace=True)
    call("list_documents", q="letters")
    call("get_document", document_id="letters/1")
    call("list_tags", q="se*")
    model_id = call("create_mental_model", name="Boats", source_query="Which boats?", max_tokens="512")[
        "mental_model_id"
    ]
    call("list_mental_models")
    call("update_mental_model", mental_model_id=model_id, name="Ships", trigger_refresh_after_consolidation=True)
    call("refresh_mental_model", mental_model_id=model_id)
    call("get_mental_model", mental_model_id=model_id)
    call("clear_mental_model", mental_model_id=model_id)
    call("delete_mental_model", mental_model_id=model_id)
    folder_id = call("create_knowledge_folder", name="Sea")["id"]
    page_id = call("create_knowledge_page", name="Boats", source_query="Which boats?", parent_id=folder_id)["page_id"]
    call("get_knowledge_base_tree")
    call("search_knowledge_base", query="boats", limit="3")
    call("update_knowledge_node", node_id=page_id, name="Ships", refresh_after_consolidation=False)
    call("get_knowledge_page", page_id=page_id)
    call("delete_knowledge_node", node_id=folder_id)
    directive_id = call("create_directive", name="Tone", content="Be kind.", priority="2")["id"]
    call("list_directives")
    call("delete_directive", directive_id=directive_id)
    call("get_bank")
    call("get_bank_stats")
    call("update_bank", config_updates={"retain_mission": "Boats.", "memory_defense": {}})
    call("list_banks", query="def")
    call("invalidate_memory", memory_id=memory_id, reason="wrong")
    call("delete_document", document_id="letters/1")
    call("clear_memories", type="world")
    call("delete_bank")
    return told


def test_every_tool_works(alice: Tenant, connected_like_hindsight: Connect) -> None:
    client = connected_like_hindsight(alice)
    told = call_every_tool(client, alice)
    assert set(told) == set(HINDSIGHT_TOOLS)
    assert told["retain"]["status"] == "accepted"
    active = {one["id"]: one["status"] for one in told["list_operations"]["operations"]}
    assert active[told["retain"]["operation_id"]] == "pending"
    assert "completed" not in active.values()
    assert told["get_operation"]["status"] == "pending"
    assert told["cancel_operation"]["success"] is True
    assert told["update_memory"]["text"] == "Bob sails in Kiel on Sundays."
    assert told["recall"]["results"][0]["text"] == "Bob sails in Kiel on Sundays."
    assert told["reflect"]["text"]
    assert [one["id"] for one in told["list_documents"]["items"]] == ["letters/1"]
    assert told["list_tags"]["items"] == [{"tag": "sea", "count": 1}]
    assert told["update_mental_model"]["trigger"]["refresh_after_consolidation"] is True
    assert told["get_mental_model"]["name"] == "Ships"
    (folder,) = told["get_knowledge_base_tree"]["roots"]
    assert [(one["name"], one["kind"]) for one in folder["children"]] == [("Boats", "page")]
    assert [one["name"] for one in told["search_knowledge_base"]["results"]] == ["Boats"]
    assert told["update_knowledge_node"]["trigger"]["refresh_after_consolidation"] is False
    assert told["get_knowledge_page"]["name"] == "Ships"
    assert told["delete_knowledge_node"]["deleted_count"] == 2
    assert told["create_directive"]["priority"] == 2
    assert told["get_bank"]["mission"] == "I help."
    assert told["get_bank_stats"]["total_nodes"] == 1
    assert told["update_bank"]["overrides"]["retain_mission"] == "Boats."
    assert told["update_bank"]["ignored"] == ["memory_defense"]
    assert told["list_banks"]["total"] == 1
    assert told["invalidate_memory"]["state"] == "invalidated"
    assert list_banks(alice) == []


def test_a_retain_in_the_background_is_performed(alice: Tenant, connected_like_hindsight: Connect) -> None:
    client = connected_like_hindsight(alice, bank="notes")
    kept = client.call("retain", content="Bob sails in Kiel.")
    perform(alice.id, UUID(kept["operation_id"]))
    assert client.call("list_memories")["total"] == 1


def test_keys_limit_hindsights_tools(alice: Tenant, memory: Memory, connected_like_hindsight: Connect) -> None:
    reader = connected_like_hindsight(alice, scopes=["read"])
    assert {"recall", "list_memories"} <= set(reader.list())
    assert not {"retain", "delete_bank", "reflect", "update_bank"} & set(reader.list())
    for tool in sorted(set(HINDSIGHT_TOOLS) - set(reader.list())):
        with pytest.raises(ToolFailed, match="lacks the scope"):
            reader.call(tool)
    limited = connected_like_hindsight(alice, banks=["mine"])
    for tool, arguments in {"recall": {"query": "Bob?"}, "retain": {"content": "Bob."}, "delete_bank": {}}.items():
        if tool == "delete_bank":  # a missing bank counts as deleted, and this one stays
            limited.call(tool, bank_id="support")
            continue
        with pytest.raises(ToolFailed) as failed:
            limited.call(tool, bank_id="support", **arguments)
        assert failed.value.code == "bank_not_found", tool
    assert list_banks(alice) == ["support"]
    stranger = connected_like_hindsight(make_tenant(), bank="support")
    assert stranger.call("recall", query="Bob?")["results"] == []
    with pytest.raises(ToolFailed) as failed:
        stranger.call("list_memories")
    assert failed.value.code == "bank_not_found"


def test_a_bank_out_of_reach_or_with_a_bad_id_is_not_connected(alice: Tenant, base_url: str) -> None:
    make_bank(alice, bank_id="other")
    headers = build_headers(make_key_with_text(alice, banks=["mine"])[1])
    for path, status in (
        ("other/", 404),
        ("mine/", 200),
        ("mine/x/", 404),
        ("?tools=all", 400),
        ("?tools=native", 200),
    ):
        assert httpx2.post(f"{base_url}/mcp/{path}", json=LIST, headers=headers).status_code == status, path
    headers = build_headers(make_key_with_text(alice)[1])
    assert httpx2.post(f"{base_url}/mcp/{'x' * 201}/", json=LIST, headers=headers).status_code == 422


def test_a_bank_limits_its_tools(alice: Tenant, connected_like_hindsight: Connect) -> None:
    client = connected_like_hindsight(alice, bank="small")
    client.call("update_bank", config_updates={"mcp_enabled_tools": ["recall", "get_bank"]})
    assert set(client.list()) == {"recall", "get_bank"}
    with pytest.raises(ToolFailed, match="mcp_enabled_tools"):
        client.call("sync_retain", content="Bob sails.")
    elsewhere = connected_like_hindsight(alice)
    assert len(elsewhere.list()) == 39
    with pytest.raises(ToolFailed, match="mcp_enabled_tools"):
        elsewhere.call("sync_retain", content="Bob sails.", bank_id="small")
    assert elsewhere.call("get_bank", bank_id="small")["bank_id"] == "small"


@pytest.mark.parametrize("bank_id", ["sup\x00port", "sup\ud800port"])
@pytest.mark.parametrize("tool_set", TOOL_SETS)
def test_no_tool_finds_a_bank_whose_id_the_database_cannot_hold(
    alice: Tenant, base_url: str, tool_set: ToolSet, bank_id: str
) -> None:
    url, key = f"{base_url}/mcp/?tools={tool_set.value}", make_key_with_text(alice, scopes=["admin"])[1]
    for name, tool in TOOL_SETS[tool_set].items():
        if "bank_id" in tool.listed.input_schema["properties"]:
            answer = post_call(url, key, name, {"bank_id": bank_id}, version=WITHOUT).text
            assert "internal_error" not in answer, name
            expected = "bank_not_found" if tool_set is ToolSet.HINDSIGHT else '"code'
            assert expected in answer, (name, answer)


def test_a_bank_answers_to_its_alias(alice: Tenant, memory: Memory, connected_like_hindsight: Connect) -> None:
    memory.unit("Bob has a boat")
    make_bank_alias(alice, bank=memory.bank, alias="helpdesk")
    by_address = connected_like_hindsight(alice, bank="helpdesk").call("recall", query="Bob boat")
    by_argument = connected_like_hindsight(alice).call("recall", query="Bob boat", bank_id="helpdesk")
    for found in (by_address, by_argument):
        assert [one["text"] for one in found["results"]] == ["Bob has a boat"]
