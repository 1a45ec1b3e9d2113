"""What reaches no view, such as an unknown path, told in the shape of the interface that the path belongs to."""

from typing import Any

from django.http import HttpRequest, JsonResponse

from memoryplatform.api.compat.malformed_ids import find_malformed_id
from memoryplatform.api.compat.mem0 import urls as mem0
from memoryplatform.api.compat.mem0.errors import SHAPE
from memoryplatform.api.errors import json_error

NOTHING = "There is nothing at this address."
HINDSIGHT = ("/v1/default", "/v1/bank-template-schema")
# Of its first version only what it has itself: the rest of /v1/ is ours.
MEM0 = ("/v2", "/v3", *(f"/{'/'.join(str(one.pattern).split('/')[:2])}" for one in mem0.urlpatterns))


def json_error_by_path(code: int, detail: str, name: str) -> Any:
    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        return answer(request, code, detail, name, *args, **kwargs)

    return view


def tell_what_is_not_there(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
    """An id that can't be one is named: nobody would look for the slip in an address that he knows."""
    malformed = find_malformed_id(request.path_info)
    detail = f"'{malformed}' is no id: ids are UUIDs, in small letters and with hyphens." if malformed else NOTHING
    return answer(request, 404, detail, "not_found", *args, **kwargs)


def answer(request: HttpRequest, code: int, detail: str, name: str, *args: Any, **kwargs: Any) -> JsonResponse:
    if is_below(request.path_info, HINDSIGHT):
        return JsonResponse({"detail": detail}, status=code)
    if is_below(request.path_info, MEM0):
        return JsonResponse(dict.fromkeys(SHAPE, detail), status=code)
    response: JsonResponse = json_error(code, detail, name)(request, *args, **kwargs)
    return response


def is_below(path: str, heads: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(tuple(f"{head}/" for head in heads))
