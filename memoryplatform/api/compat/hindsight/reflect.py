"""`/reflect`: an answer out of memory. It stores nothing unless `form_opinions`, a field of ours, says so."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.hindsight.usage import describe_usage
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.reflect_input import ReflectInput
from memoryplatform.api.v1.reflect_output import describe_result
from memoryplatform.operations.reflect import reflect
from memoryplatform.operations.retain import find_or_create_bank

CALL = ("scope", "duration_ms")
TOOL = ("tool", "input", "output", "duration_ms", "iteration")


class HindsightReflectView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # it may make the bank, and shows memories

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        check_bank_id(bank_id)
        body = read_body(ReflectInput, translate(request.data if isinstance(request.data, dict) else {}))
        find_or_create_bank(self.access, bank_id)
        result = reflect(self.access, bank_id, body.reflect_query())
        return Response(describe(describe_result(result, body.validated_data["include"])))


def translate(given: dict[str, Any]) -> dict[str, Any]:
    """Hindsight brings along only what is asked for, and never stores what it concludes."""
    asked = given.get("include")
    if asked is None or isinstance(asked, dict):
        asked = {"facts": None, "tool_calls": None, **(asked or {})}
    return {"form_opinions": False, **given, "include": asked, "stream": False}


def describe(answer: dict[str, Any]) -> dict[str, Any]:
    """Opinions, and what else Hindsight has not, stand in fields of their own."""
    return answer | {
        "based_on": describe_basis(answer["based_on"]),
        "usage": describe_usage(answer["usage"]),
        "trace": describe_trace(answer["trace"]),
    }


def describe_basis(basis: dict[str, Any] | None) -> dict[str, Any] | None:
    """An observation is a memory to Hindsight."""
    if basis is None:
        return None
    memories = [*basis["memories"], *basis["observations"]]
    return basis | {"memories": memories, "mental_models": []}


def describe_trace(trace: dict[str, Any] | None) -> dict[str, Any] | None:
    if trace is None:
        return None
    return {
        "tool_calls": [describe_step(call, TOOL) for call in trace["tool_calls"]],
        "llm_calls": [describe_step(call, CALL) for call in trace["llm_calls"]],
    }


def describe_step(step: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: step[name] for name in fields} | {"duration_ms": round(step["duration_ms"])}
