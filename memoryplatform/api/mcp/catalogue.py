"""Which tools there are, and which of them a caller sees."""

from collections.abc import Iterator
from typing import Any

from memoryplatform.api.mcp.caller import Caller
from memoryplatform.api.mcp.tool import Tool
from memoryplatform.api.mcp.tools import banks, entities, memories, opinions, recall, reflect, retain

TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        recall.RECALL,
        retain.RETAIN,
        reflect.REFLECT,
        memories.LIST_MEMORIES,
        memories.GET_MEMORY,
        memories.FORGET_MEMORY,
        opinions.LIST_OPINIONS,
        opinions.GET_OPINION,
        entities.LIST_ENTITIES,
        entities.GET_ENTITY,
        banks.LIST_BANKS,
        banks.GET_BANK,
        banks.CREATE_BANK,
    )
}


def list_tools(caller: Caller) -> Iterator[Tool[Any]]:
    for tool in TOOLS.values():
        if is_there(tool, caller) and all(caller.identity.allows(scope) for scope in tool.scopes.split()):
            yield tool


def find_tool(name: str, caller: Caller) -> Tool[Any] | None:
    """Also one that the key has no scope for: calling it tells what is missing."""
    tool = TOOLS.get(name)
    return tool if tool is not None and is_there(tool, caller) else None


def is_there(tool: Tool[Any], caller: Caller) -> bool:
    return tool.in_bank or caller.bank_id is None
