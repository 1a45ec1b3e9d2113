"""`/memories/` of every version: adding, listing, searching, and deleting all of somebody's."""

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.mem0.add import add_memories, add_memories_as_before
from memoryplatform.api.compat.mem0.deleting import delete_all
from memoryplatform.api.compat.mem0.listing import list_memories, read_list
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.pages import asks_for_page, describe_page, read_page
from memoryplatform.api.compat.mem0.query_filters import read_query_filters
from memoryplatform.api.compat.mem0.search import read_search, search_memories
from memoryplatform.api.idempotency import idempotent_operation, read_operation_key

READS: dict[str, str] = {"POST": "read"}
WRAPPED = "v1.1"  # the output format with an object around the list


class AddView(Mem0View):
    @idempotent_operation
    def post(self, request: Request) -> Response:
        return Response(add_memories(self.access, request.data, key=read_operation_key(self, request)))


class MemoriesV1View(Mem0View):
    @idempotent_operation
    def post(self, request: Request) -> Response:
        return Response(add_memories_as_before(self.access, request.data, key=read_operation_key(self, request)))

    def get(self, request: Request) -> Response:
        return answer_list(self, request, read_query_filters(request.query_params))

    def delete(self, request: Request) -> Response:
        return Response(delete_all(self.access, request.query_params))


class MemoriesV2View(Mem0View):
    scopes: ClassVar[dict[str, str]] = READS

    def post(self, request: Request) -> Response:
        return answer_list(self, request, request.data)


class MemoriesV3View(Mem0View):
    scopes: ClassVar[dict[str, str]] = READS

    def post(self, request: Request) -> Response:
        wanted, page = read_list(request.data, flat_ids=False), read_page(request)
        listed = list_memories(self.access, wanted, page)
        return Response(describe_page(request, page, listed.count, listed.results))


class SearchView(Mem0View):
    """`flat_ids`, `threshold` and whether the list stands in an object are what the versions differ in."""

    scopes: ClassVar[dict[str, str]] = READS
    flat_ids = False
    threshold = 0.1
    is_wrapped = True

    def post(self, request: Request) -> Response:
        wanted = read_search(request.data, flat_ids=self.flat_ids, threshold=self.threshold)
        results = search_memories(self.access, wanted)
        return Response({"results": results} if self.is_wrapped or wants_object(request.data) else results)


def answer_list(view: Mem0View, request: Request, given: Any) -> Response:
    """As older versions do: a list, or a page where one is asked for."""
    wanted, page = read_list(given, flat_ids=True), read_page(request)
    listed = list_memories(view.access, wanted, page)
    if asks_for_page(request):
        return Response(describe_page(request, page, listed.count, listed.results))
    return Response({"results": listed.results} if wants_object(given) else listed.results)


def wants_object(given: Any) -> bool:
    return isinstance(given, Mapping) and given.get("output_format") == WRAPPED
