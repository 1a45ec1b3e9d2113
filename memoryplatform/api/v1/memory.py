"""`/v1/banks/{bank_id}/memories/{memory_id}`: one memory, and what became of it."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from banks.lifecycle.invalidate import Invalidation
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput
from memoryplatform.api.v1.memory_input import HistoryInput, InvalidateInput, RestoreInput, UnitEditInput
from memoryplatform.api.v1.memory_output import DeletedOutput, HistoryOutput, HistoryPageOutput, UnitDetailOutput
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import name_of
from memoryplatform.operations.memories.single import (
    ShownMemory,
    delete_memory,
    edit_memory,
    invalidate_memory,
    restore_memory,
    show_history,
    show_memory,
)


def render(shown: ShownMemory) -> Response:
    """The ETag stands for what can be edited: a proof or a link more is no reason to refuse an editor."""
    return Response(UnitDetailOutput(shown.described).data, headers={"ETag": f'"{shown.version}"'})


class MemoryView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="get_memory",
        summary="Get a memory with what it rests on",
        responses={200: UnitDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> Response:
        return render(show_memory(self.access, bank_id, memory_id))

    @extend_schema(
        operation_id="edit_memory",
        summary="Edit the given fields of a memory",
        description="Each edit stands in its history. A text that another live memory has already is refused (409). "
        "What was read out of a fact's former text goes with it; the new one is read for entities and relationships.",
        parameters=[IF_MATCH],
        request=UnitEditInput,
        responses={200: UnitDetailOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        body = UnitEditInput(data=request.data)
        body.is_valid(raise_exception=True)
        state, reason = body.validated_data.get("state"), body.validated_data["reason"]
        expected = read_expected(request)
        if state == "valid":
            return render(restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected))
        if state == "invalidated":
            closing = Invalidation("correction", explanation=reason, actor=name_of(self.access))
            return render(invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected))
        return render(edit_memory(self.access, bank_id, memory_id, body.unit_edit(), expected=expected, reason=reason))

    @extend_schema(
        operation_id="delete_memory",
        summary="Delete a memory for good",
        description="With what rests on it alone. To close it and keep it for the past, invalidate it instead.",
        parameters=[IF_MATCH],
        responses={200: DeletedOutput, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        removed = delete_memory(self.access, bank_id, memory_id, expected=read_expected(request))
        answer = {"success": True, "message": f"Memory {memory_id} is deleted.", "removed": removed}
        return Response(DeletedOutput(answer).data)


class MemoryHistoryView(TenantView):
    @extend_schema(
        operation_id="get_memory_history",
        summary="Follow a memory through its changes, and to what superseded it",
        parameters=[HistoryInput],
        responses={200: HistoryPageOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        query = HistoryInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        shape = HistoryPageOutput if query.validated_data else HistoryOutput
        return Response(shape(query.cut(show_history(self.access, bank_id, memory_id))).data)


class InvalidateView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="invalidate_memory",
        summary="Close a memory: it is no longer so, or it never was",
        parameters=[IDEMPOTENCY_KEY, IF_MATCH],
        request=InvalidateInput,
        responses={200: UnitDetailOutput, **ERRORS, 412: ErrorOutput},
    )
    @idempotent
    def post(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        body = InvalidateInput(data=request.data)
        body.is_valid(raise_exception=True)
        closing, expected = body.invalidation(name_of(self.access)), read_expected(request)
        return render(invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected))


class RestoreView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="restore_memory",
        summary="Undo the end of a memory",
        parameters=[IDEMPOTENCY_KEY, IF_MATCH],
        request=RestoreInput,
        responses={200: UnitDetailOutput, **ERRORS, 412: ErrorOutput},
    )
    @idempotent
    def post(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        body = RestoreInput(data=request.data)
        body.is_valid(raise_exception=True)
        reason, expected = body.validated_data["explanation"], read_expected(request)
        return render(restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected))
