"""The MCP server: it lists and calls tools, for the caller that the door let in."""

from importlib.metadata import version
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from memoryplatform.api.mcp.caller import Caller
from memoryplatform.api.mcp.calling import call_tool
from memoryplatform.api.mcp.catalogue import find_tool, list_tools

CALLER = "memoryplatform.caller"  # where the door leaves it in the scope of the request
INSTRUCTIONS = (
    "Long-term memory. Call recall before you answer anything that may rest on what was said or learned earlier, and "
    "retain when you learn something that is worth knowing later: what people tell about themselves, decisions, events "
    "with their dates. reflect answers a question out of memory with citations and forms opinions on the way. Memories "
    "are world facts, experiences of the agent, opinions (with a confidence) or observations (summaries)."
)

Context = ServerRequestContext[Any, Any]


def build_server() -> Server[Any]:
    return Server(
        "memoryplatform",
        version=version("memoryplatform"),
        title="Memory",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda _name: None,  # no argument of ours comes in a header
        on_list_tools=answer_list,
        on_call_tool=answer_call,
    )


def get_caller(context: Context) -> Caller:
    if context.request is None:
        raise RuntimeError("A message came in without its HTTP request.")
    caller: Caller = context.request.scope[CALLER]
    return caller


async def answer_list(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    caller = get_caller(context)
    is_bound = caller.bank_id is not None
    return ListToolsResult(tools=[tool.listed_in_bank if is_bound else tool.listed for tool in list_tools(caller)])


async def answer_call(context: Context, params: CallToolRequestParams) -> CallToolResult:
    caller = get_caller(context)
    tool = find_tool(params.name, caller)
    if tool is None:
        raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r} here.")
    return await call_tool(caller, tool, params.arguments or {})
