"""What reaches no view, such as an unknown path, told in the shape of the interface that the path belongs to."""

from typing import Any

from django.http import HttpRequest, JsonResponse

from memoryplatform.api.compat.mem0 import urls as mem0
from memoryplatform.api.compat.mem0.errors import SHAPE
from memoryplatform.api.errors import json_error

HINDSIGHT = ("/v1/default", "/v1/bank-template-schema")
# Of its first version only what it has itself: the rest of /v1/ is ours.
MEM0 = ("/v2", "/v3", *(f"/{'/'.join(str(one.pattern).split('/')[:2])}" for one in mem0.urlpatterns))


def json_error_by_path(code: int, detail: str, name: str) -> Any:
    ours = json_error(code, detail, name)

    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        if is_below(request.path_info, HINDSIGHT):
            return JsonResponse({"detail": detail}, status=code)
        if is_below(request.path_info, MEM0):
            return JsonResponse(dict.fromkeys(SHAPE, detail), status=code)
        response: JsonResponse = ours(request, *args, **kwargs)
        return response

    return view


def is_below(path: str, heads: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(tuple(f"{head}/" for head in heads))
