"""`/v1/memories/{memory_id}/`: one memory, its changes and its history."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.lifecycle.edit import UnitEdit
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.deleting import delete_superseded
from memoryplatform.api.compat.mem0.errors import naming
from memoryplatform.api.compat.mem0.history import describe_history
from memoryplatform.api.compat.mem0.locating import Located, locate
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.memory_shapes import describe_memory
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, IMMUTABLE, keep_own, keep_told, write_metadata
from memoryplatform.api.compat.mem0.moments import read_extent
from memoryplatform.api.serializers import check_given_once
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.single import ShownMemory, delete_memory, edit_memory, show_history, show_memory


class UpdateInput(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=100_000, required=False)
    metadata = serializers.JSONField(required=False)
    timestamp = serializers.JSONField(required=False)
    expiration_date = serializers.DateField(required=False, allow_null=True)


class MemoryView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"PUT": "write read"}  # the answer shows it

    def get(self, _request: Request, memory_id: str) -> Response:
        located = locate(self.access, memory_id)
        shown = show_memory(self.access, located.bank_id, located.memory_id)
        return Response(describe_memory(shown.described))

    def put(self, request: Request, memory_id: str) -> Response:
        located = locate(self.access, memory_id)
        return Response(describe_memory(update_memory(self.access, located, request.data).described))

    def delete(self, request: Request, memory_id: str) -> Response:
        check_given_once(request.query_params, lists=())
        located = locate(self.access, memory_id)
        cascade = 0
        if request.query_params.get("delete_linked", "").lower() == "true":
            cascade = delete_superseded(self.access, located)
        delete_memory(self.access, located.bank_id, located.memory_id)
        return Response({"message": "Memory deleted successfully!", "cascade_count": cascade})


class MemoryHistoryView(Mem0View):
    def get(self, _request: Request, memory_id: str) -> Response:
        located = locate(self.access, memory_id)
        shown = show_memory(self.access, located.bank_id, located.memory_id)
        return Response(
            describe_history(shown.described, show_history(self.access, located.bank_id, located.memory_id))
        )


def update_memory(access: BankAccess, located: Located, given: Any) -> ShownMemory:
    """The metadata that is given takes the place of all that a caller gave before."""
    body = read_update(given)
    before = show_memory(access, located.bank_id, located.memory_id).described.metadata
    if IMMUTABLE in before:
        raise serializers.ValidationError("This memory is immutable.")
    edit = build_edit(body, before)
    return edit_memory(access, located.bank_id, located.memory_id, edit, expected=None)


def read_update(given: Any) -> dict[str, Any]:
    body: dict[str, Any] = read_body(UpdateInput, given).validated_data
    if not body:
        raise serializers.ValidationError("Give at least one of text, metadata, timestamp or expiration_date.")
    if "timestamp" in body:
        with naming("timestamp"):
            body["timestamp"] = read_extent(body["timestamp"]).start
    return body


def build_edit(body: Mapping[str, Any], before: Mapping[str, str]) -> UnitEdit:
    own = keep_own(before)
    if "expiration_date" in body:
        day = body["expiration_date"]
        own = {name: value for name, value in own.items() if name != EXPIRATION}
        own |= {EXPIRATION: day.isoformat()} if day else {}
    told = write_metadata(body["metadata"]) if "metadata" in body else keep_told(before)
    edit: dict[str, Any] = {"metadata": told | own} if {"metadata", "expiration_date"} & set(body) else {}
    if "text" in body:
        edit["text"] = body["text"]
    if "timestamp" in body:
        edit["mentioned_at"] = body["timestamp"]
    return UnitEdit(**edit)
