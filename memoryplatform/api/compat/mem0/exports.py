"""`/v1/exports/`: memories in a shape of the caller's. The request is kept; the memories are read when asked."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.mem0.asking import read_asked, without_expired
from memoryplatform.api.compat.mem0.errors import NotFound
from memoryplatform.api.compat.mem0.export_filling import fill
from memoryplatform.api.compat.mem0.export_schema import parse_schema, read_shape
from memoryplatform.api.compat.mem0.filters.fields import read_uuid
from memoryplatform.api.compat.mem0.listing import ListWanted, list_memories
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.owners import KINDS
from memoryplatform.api.compat.mem0.pages import PageWanted
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.export_requests import (
    ExportRequest,
    find_export_request,
    find_latest_export_request,
    keep_export_request,
)

MOST_MEMORIES = 10_000
RECEIVED = "Memory export request received. The export will be ready in a few seconds."
NOT_THERE = "No memory export request found"


class ExportsView(Mem0View):
    @idempotent
    def post(self, request: Request) -> Response:
        given = request.data if isinstance(request.data, Mapping) else {}
        schema, filters = parse_schema(given.get("schema")), read_export_filters(given)
        read_shape(schema)
        read_asked({"filters": filters})
        kept = keep_export_request(self.access, {"schema": schema, "filters": filters})
        return Response({"message": RECEIVED, "id": kept.id}, status=status.HTTP_201_CREATED)


class ExportResultView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request) -> Response:
        kept = find_request(self.access, request.data if isinstance(request.data, Mapping) else {})
        if kept is None:
            raise NotFound(NOT_THERE)
        condition = without_expired(read_asked({"filters": kept.request["filters"]}))
        listed = list_memories(self.access, ListWanted(condition, ()), PageWanted(1, MOST_MEMORIES))
        return Response(fill(read_shape(kept.request["schema"]), listed.results))


def find_request(access: BankAccess, given: Mapping[str, Any]) -> ExportRequest | None:
    """By its id, or the newest with these filters."""
    if given.get("memory_export_id") is not None:
        return find_export_request(access, read_uuid("memory_export_id", given["memory_export_id"]))
    filters = read_export_filters(given)
    read_asked({"filters": filters})
    return find_latest_export_request(access, filters=filters)


def read_export_filters(given: Mapping[str, Any]) -> dict[str, Any]:
    """The ids may stand beside the filters, as the client's keywords put them."""
    filters = given.get("filters") or {}
    if not isinstance(filters, Mapping):
        raise serializers.ValidationError({"filters": ["Must be an object."]})
    beside = {name: given[name] for name in KINDS if given.get(name) is not None}
    return {**filters, **beside}
