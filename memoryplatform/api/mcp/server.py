"""The MCP server: it lists the tools and runs them for an authenticated caller."""

from collections.abc import Iterator, Mapping
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
from pydantic import ValidationError
from rest_framework import exceptions
from rest_framework.exceptions import PermissionDenied

from memoryplatform.api.errors import handle_exception, make_printable
from memoryplatform.api.mcp.threads import run_in_tenant_slot
from memoryplatform.api.mcp.tools import banks, entities, memories, opinions, recall, reflect, retain
from memoryplatform.api.mcp.tools.tool import BankArguments, Call, Caller, Effect, Tool
from memoryplatform.operations.read_replica import REPLICA

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


def list_tools(caller: Caller) -> Iterator[Tool[Any]]:
    for tool in TOOLS.values():
        if is_offered(tool, caller) and all(caller.identity.allows(scope) for scope in tool.scopes.split()):
            yield tool


def is_offered(tool: Tool[Any], caller: Caller) -> bool:
    return tool.in_bank or caller.bank_id is None


async def call_tool(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any]) -> CallToolResult:
    hung_up = Event()
    try:
        return await run_in_tenant_slot(
            caller.identity.tenant_id, partial(run_tool_call, caller, tool, arguments, hung_up)
        )
    finally:
        hung_up.set()


def run_tool_call(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any], hung_up: Event) -> CallToolResult:
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


def run_tool(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any], hung_up: Event) -> dict[str, Any]:
    check_scopes(caller, tool)
    given = tool.accepts(bound=caller.bank_id is not None).model_validate(dict(arguments))
    bank_id = given.bank_id if isinstance(given, BankArguments) else caller.bank_id or ""
    call = Call(caller, bank_id, hung_up)
    answer: dict[str, Any] = tool.run(call, given).dump()
    if tool.effect is not Effect.READS:
        REPLICA.note_write(caller.identity.tenant_id, caller.identity.prefix)
    return answer


def check_scopes(caller: Caller, tool: Tool[Any]) -> None:
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
    is_bound = caller.bank_id is not None
    return ListToolsResult(tools=[tool.listed_in_bank if is_bound else tool.listed for tool in list_tools(caller)])


async def handle_call(context: Context, params: CallToolRequestParams) -> CallToolResult:
    caller = get_caller(context)
    tool = TOOLS.get(params.name)  # also one that the key lacks a scope for: the call reports the missing scope
    if tool is None or not is_offered(tool, caller):
        raise MCPError(INVALID_PARAMS, f"There is no tool {params.name!r} here.")
    return await call_tool(caller, tool, params.arguments or {})
