"""The list of tools as a client reads it."""

import json

import pytest

from memoryplatform.api.mcp.server import TOOLS
from tenants.models import Tenant
from tests.mcp.conftest import Connect
from tests.mcp.connection import ERAS
from tests.retrieval.memory import Memory

READING = {
    "recall",
    "list_memories",
    "get_memory",
    "list_opinions",
    "get_opinion",
    "list_entities",
    "get_entity",
    "list_banks",
    "get_bank",
}
OF_ALL_BANKS = {"list_banks", "create_bank"}


@pytest.mark.parametrize("mode", ERAS)
def test_a_full_key_sees_every_tool_with_a_bank_to_name(alice: Tenant, connected: Connect, mode: str) -> None:
    tools = connected(alice, mode=mode).list()
    assert set(tools) == set(TOOLS)
    for name in set(tools) - OF_ALL_BANKS:
        assert "bank_id" in tools[name].input_schema["required"], name


def test_at_a_banks_own_address_no_tool_asks_for_a_bank(memory: Memory, alice: Tenant, connected: Connect) -> None:
    tools = connected(alice, bank="support").list()
    assert set(tools) == set(TOOLS) - OF_ALL_BANKS
    assert not [name for name, tool in tools.items() if "bank_id" in tool.input_schema["properties"]]


def test_hints_mark_read_only_and_destructive_tools(alice: Tenant, connected: Connect) -> None:
    hints = {name: tool.annotations for name, tool in connected(alice).list().items()}
    assert {name for name, hint in hints.items() if hint and hint.read_only_hint} == READING
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == {"forget_memory"}
    writing_again = {name for name, hint in hints.items() if hint and hint.idempotent_hint} - READING
    assert writing_again == {"forget_memory"}
    assert not [name for name, hint in hints.items() if hint is None or hint.open_world_hint is not False]


def test_every_argument_that_a_name_does_not_explain_is_described(alice: Tenant, connected: Connect) -> None:
    plain = {"memory_id", "opinion_id", "entity_id", "min_confidence"}
    for name, tool in connected(alice).list().items():
        assert tool.description
        unexplained = {
            argument for argument, schema in tool.input_schema["properties"].items() if "description" not in schema
        }
        assert unexplained <= plain, name


def test_the_tools_fit_into_a_prompt(alice: Tenant, connected: Connect) -> None:
    """The size of the tools' descriptions, at about four characters per token."""
    tools = connected(alice).list().values()
    read = [{"name": tool.name, "description": tool.description, "schema": tool.input_schema} for tool in tools]
    assert len(json.dumps(read)) < 4 * 4_000


def test_the_server_states_its_purpose(alice: Tenant, connected: Connect) -> None:
    client = connected(alice).client
    assert "recall" in str(client.instructions)
    assert client.server_info is not None
    assert client.server_info.name == "memoryplatform"
