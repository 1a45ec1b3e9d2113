"""From a tool's name and arguments to its answer."""

from collections.abc import Mapping
from functools import partial
from threading import Event
from time import perf_counter
from typing import Any

import orjson
import structlog
from mcp_types import CallToolResult, TextContent
from rest_framework.exceptions import PermissionDenied

from memoryplatform.api.mcp.caller import Call, Caller
from memoryplatform.api.mcp.errors import describe_error, tell_error
from memoryplatform.api.mcp.threads import run_in_turn
from memoryplatform.api.mcp.tool import BankArguments, Tool

log = structlog.get_logger("memoryplatform.mcp")


async def call_tool(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any]) -> CallToolResult:
    hung_up = Event()
    try:
        return await run_in_turn(caller.identity.tenant_id, partial(answer_call, caller, tool, arguments, hung_up))
    finally:
        hung_up.set()


def answer_call(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any], hung_up: Event) -> CallToolResult:
    started, code = perf_counter(), ""
    try:
        return tell(perform(caller, tool, arguments, hung_up))
    except Exception as error:  # noqa: BLE001  # the API's handler logs what is not expected
        described = describe_error(error, caller.request_id)
        code = described["code"]
        return tell_error(described)
    finally:
        log.info("tool", tool=tool.name, error=code or None, ms=round((perf_counter() - started) * 1000, 1))


def perform(caller: Caller, tool: Tool[Any], arguments: Mapping[str, Any], hung_up: Event) -> dict[str, Any]:
    check_scopes(caller, tool)
    given = tool.accepts(bound=caller.bank_id is not None).model_validate(dict(arguments))
    bank_id = given.bank_id if isinstance(given, BankArguments) else caller.bank_id or ""
    call = Call(caller, bank_id, hung_up)
    told: dict[str, Any] = tool.run(call, given).told()
    return told


def check_scopes(caller: Caller, tool: Tool[Any]) -> None:
    missing = [scope for scope in tool.scopes.split() if not caller.identity.allows(scope)]
    if missing:
        raise PermissionDenied(f"This API key lacks the scope '{' '.join(missing)}'.")


def tell(answer: dict[str, Any]) -> CallToolResult:
    """Twice, as the protocol wants it: structured, and as text for clients that read only that."""
    return CallToolResult(content=[TextContent(text=orjson.dumps(answer).decode())], structured_content=answer)
