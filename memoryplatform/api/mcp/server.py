"""The MCP server: it lists the tools and runs them for an authenticated caller."""

from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from threading import Event
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import orjson
import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from mcp_types import Tool as ListedTool
from pydantic import ValidationError
from rest_framework import exceptions
from rest_framework.exceptions import PermissionDenied

from memoryplatform.api.errors import handle_exception, make_printable
from memoryplatform.api.mcp.hindsight import banks as hindsight_banks
from memoryplatform.api.mcp.hindsight import documents, knowledge_base, mental_models
from memoryplatform.api.mcp.hindsight import memories as hindsight_memories
from memoryplatform.api.mcp.hindsight.tool import HindsightTool
from memoryplatform.api.mcp.threads import AUTHENTICATION_THREADS, run_in_tenant_slot, run_in_thread
from memoryplatform.api.mcp.tools import banks, entities, memories, opinions, recall, reflect, retain
from memoryplatform.api.mcp.tools.tool import Caller, Effect, Tool, ToolSet
from memoryplatform.operations.banks.profile import check_bank_id, find_banks
from memoryplatform.operations.read_replica import REPLICA
from tenants.transactions import tenant_transaction

AnyTool = Tool[Any] | HindsightTool
TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        recall.run,
        retain.run,
        reflect.run,
        memories.list_memories,
        memories.get_memory,
        memories.forget_memory,
        opinions.run_list,
        opinions.run_get,
        entities.run_list,
        entities.run_get,
        banks.run_list,
        banks.run_get,
        banks.run_create,
    )
}
HINDSIGHT_TOOLS: dict[str, HindsightTool] = {
    tool.name: tool
    for module in (hindsight_memories, hindsight_banks, mental_models, documents, knowledge_base)
    for tool in module.TOOLS
}
TOOL_SETS: dict[ToolSet, Mapping[str, AnyTool]] = {ToolSet.NATIVE: TOOLS, ToolSet.HINDSIGHT: HINDSIGHT_TOOLS}
log = structlog.get_logger("memoryplatform.mcp")
CALLER = "memoryplatform.caller"  # key of the caller in the ASGI scope
INSTRUCTIONS = (
    "Long-term memory. Call recall before you answer anything that may depend on earlier "
    "conversations, and retain when you learn something worth knowing later: facts about "
    "people, decisions, events with their dates. reflect answers a question from memory with "
    "citations, and may form opinions. Memories are world facts, experiences of the agent, "
    "opinions (with a confidence) or observations (summaries)."
)
Context = ServerRequestContext[Any, Any]


def describe_error(error: Exception, request_id: str) -> dict[str, Any]:
    if isinstance(error, ValidationError):
        error = convert_faults(error)
    answer: dict[str, Any] = handle_exception(error, {"request": SimpleNamespace(request_id=request_id)}).data
    return answer


def convert_faults(error: ValidationError) -> exceptions.ValidationError:
    """Converts pydantic's faults to DRF's, so that all errors have one shape."""
    faults: dict[str, list[exceptions.ErrorDetail]] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        field = make_printable(".".join(str(part) for part in fault["loc"])) or "non_field_errors"
        message = "Unknown field." if fault["type"] == "extra_forbidden" else f"{fault['msg']}."
        faults.setdefault(field, []).append(exceptions.ErrorDetail(message, code=fault["type"]))
    return exceptions.ValidationError(faults)


def list_tools(caller: Caller) -> list[ListedTool]:
    """It may query the database, so call it in a thread."""
    enabled = read_enabled(caller, caller.bank_id or caller.usual_bank)
    tools = [
        tool
        for tool in TOOL_SETS[caller.tool_set].values()
        if is_offered(tool, caller) and all(caller.identity.allows(scope) for scope in tool.scopes.split())
    ]
    shown = [tool for tool in tools if enabled is None or tool.name in enabled]
    return [tool.listed if caller.bank_id is None else tool.listed_in_bank for tool in shown]


def is_offered(tool: AnyTool, caller: Caller) -> bool:
    return tool.in_bank or caller.bank_id is None


def read_enabled(caller: Caller, bank_id: str) -> frozenset[str] | None:
    """Hindsight's tools that the bank's setting `mcp_enabled_tools` allows; None: all of them, and all of ours.

    Raises BankNotFound for an id that Postgres can't hold. Every call of a tool passes here first, and ours check the
    id themselves.
    """
    if caller.tool_set is ToolSet.NATIVE:
        return None
    check_bank_id(bank_id)
    with tenant_transaction(caller.identity.tenant_id):
        bank = find_banks(caller.access).filter(bank_id=bank_id).first()
    names = bank.hindsight_settings.get("mcp_enabled_tools") if bank else None
    return frozenset(map(str, names)) if isinstance(names, list) else None


async def call_tool(caller: Caller, tool: AnyTool, arguments: Mapping[str, Any]) -> CallToolResult:
    hung_up = Event()
    try:
        return await run_in_tenant_slot(
            caller.identity.tenant_id, partial(run_tool_call, caller, tool, arguments, hung_up)
        )
    finally:
        hung_up.set()


def run_tool_call(caller: Caller, tool: AnyTool, arguments: Mapping[str, Any], hung_up: Event) -> CallToolResult:
    started, code = perf_counter(), ""
    try:
        return build_result(run_tool(caller, tool, arguments, hung_up))
    except Exception as error:  # noqa: BLE001  # the API's handler logs what is not expected
        described = describe_error(error, caller.request_id)
        code = described["code"]
        # No structured content, because that must match the tool's output schema.
        return CallToolResult(content=[TextContent(text=orjson.dumps(described).decode())], is_error=True)
    finally:
        log.info("tool", tool=tool.name, error=code or None, ms=round((perf_counter() - started) * 1000, 1))


def run_tool(caller: Caller, tool: AnyTool, arguments: Mapping[str, Any], hung_up: Event) -> dict[str, Any]:
    check_scopes(caller, tool)
    enabled = read_enabled(caller, str(caller.bank_id or arguments.get("bank_id") or caller.usual_bank))
    if enabled is not None and tool.name not in enabled:
        raise PermissionDenied(f"The bank's setting mcp_enabled_tools does not allow {tool.name}.")
    answer = tool.perform(caller, arguments, hung_up)
    if tool.effect is not Effect.READS:
        REPLICA.note_write(caller.identity.tenant_id, caller.identity.prefix)
    return answer


def check_scopes(caller: Caller, tool: AnyTool) -> None:
    missing = [scope for scope in tool.scopes.split() if not caller.identity.allows(scope)]
    if missing:
        raise PermissionDenied(f"This API key lacks the scope '{' '.join(missing)}'.")


def build_result(answer: dict[str, Any]) -> CallToolResult:
    """The protocol wants the answer twice: structured, and as text for older clients."""
    return CallToolResult(content=[TextContent(text=orjson.dumps(answer).decode())], structured_content=answer)


def build_server() -> Server[Any]:
    return Server(
        "memoryplatform",
        version=version("memoryplatform"),
        title="Memory",
        instructions=INSTRUCTIONS,
        get_tool_input_schema=lambda _name: None,  # no tool takes an argument from a header
        on_list_tools=handle_list,
        on_call_tool=handle_call,
    )


def get_caller(context: Context) -> Caller:
    if context.request is None:
        raise RuntimeError("The MCP message has no HTTP request.")
    caller: Caller = context.request.scope[CALLER]
    return caller


async def handle_list(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    caller = get_caller(context)
    return ListToolsResult(tools=await run_in_thread(AUTHENTICATION_THREADS, partial(list_tools, caller)))


async def handle_call(context: Context, params: CallToolRequestParams) -> CallToolResult:
    caller = get_caller(context)
    tool = TOOL_SETS[caller.tool_set].get(
        params.name
    )  # also one that the key lacks a scope for: the call reports the missing scope
    if tool is None or not is_offered(tool, caller):
        raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r} here.")
    return await call_tool(caller, tool, params.arguments or {})
