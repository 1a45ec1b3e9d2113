"""`/reflect`: an answer from memory. It stores nothing unless `form_opinions`, a field of ours, is true."""

from dataclasses import replace
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, describe_usage, read_body
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.reflect import describe_result
from memoryplatform.api.v1.reflect_input import MOST_ANSWER_TOKENS, ReflectInput
from memoryplatform.operations.banks.profile import find_or_create_bank
from memoryplatform.operations.reflect import reflect
from reflection.reflect.types import ReflectQuery

MOST_EXCLUDED = 1_000
CALL = ("scope", "duration_ms")
TOOL = ("tool", "input", "output", "duration_ms", "iteration")


class HindsightReflectInput(ReflectInput):
    exclude_mental_models = serializers.BooleanField(default=False)
    exclude_mental_model_ids = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, default=list, max_length=MOST_EXCLUDED
    )

    def reflect_query(self) -> ReflectQuery:
        excludes, keys = (self.validated_data[name] for name in ("exclude_mental_models", "exclude_mental_model_ids"))
        return replace(super().reflect_query(), uses_mental_models=not excludes, excluded_models=tuple(keys))


class HindsightReflectView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # it may create the bank, and shows memories

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> object:
        check_bank_id(bank_id)
        body = read_body(
            HindsightReflectInput, translate_reflect(request.data if isinstance(request.data, dict) else {})
        )
        find_or_create_bank(self.access, bank_id)
        result = reflect(self.access, bank_id, body.reflect_query())
        return describe_reflection(describe_result(result, body.validated_data["include"]))


def translate_reflect(given: dict[str, Any]) -> dict[str, Any]:
    """By default Hindsight includes nothing and stores no opinions."""
    include = given.get("include")
    if include is None or isinstance(include, dict):
        include = {"facts": None, "tool_calls": None, **(include or {})}
    return {"form_opinions": False, **given, **cut_tokens(given), "include": include, "stream": False}


def cut_tokens(given: dict[str, Any]) -> dict[str, int]:
    """Hindsight has no upper bound, so a larger one is cut."""
    try:
        wanted = int(given.get("max_tokens") or 0)
    except (TypeError, ValueError, OverflowError):
        return {}
    return {"max_tokens": MOST_ANSWER_TOKENS} if wanted > MOST_ANSWER_TOKENS else {}


def describe_reflection(answer: dict[str, Any]) -> dict[str, Any]:
    """Fields that Hindsight lacks, such as opinions, stay beside its own."""
    return answer | {
        "based_on": describe_basis(answer["based_on"]),
        "usage": describe_usage(answer["usage"]),
        "trace": describe_trace(answer["trace"]),
    }


def describe_basis(basis: dict[str, Any] | None) -> dict[str, Any] | None:
    """Hindsight counts observations among the memories."""
    if basis is None:
        return None
    memories = [*basis["memories"], *basis["observations"]]
    return basis | {"memories": memories}


def describe_trace(trace: dict[str, Any] | None) -> dict[str, Any] | None:
    if trace is None:
        return None
    return {
        "tool_calls": [describe_step(call, TOOL) for call in trace["tool_calls"]],
        "llm_calls": [describe_step(call, CALL) for call in trace["llm_calls"]],
    }


def describe_step(step: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: step[name] for name in fields} | {"duration_ms": round(step["duration_ms"])}
