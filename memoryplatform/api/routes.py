"""A route of `/v1`: its description, its input and its answer, declared in one place."""

import functools
from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.openapi import ERRORS, IF_MATCH
from memoryplatform.api.serializers import ErrorOutput, Input, check_input
from memoryplatform.api.views import TenantView, write_etag

Handler = Callable[..., Any]


def route(  # noqa: PLR0913  # a route has these parts
    operation_id: str,
    summary: str,
    answer: Any,
    status: int = 200,
    *,
    query: type[Input] | None = None,
    body: Any = None,
    if_match: bool = False,
    or_answer: Any = None,
) -> Callable[[Handler], Handler]:
    """Makes a handler of a method that takes the names of the path and returns a value, which `answer` renders.

    The method gets the validated query as `wanted`, and the validated serializer of the body as `body`. Its docstring
    is the description of the route. A `Response` that it returns is sent as it is; `or_answer` describes it.
    """
    described = answer
    if or_answer is not None:
        name = f"{answer.__name__}Or{or_answer.__name__}"
        described = PolymorphicProxySerializer(name, [answer, or_answer], resource_type_field_name=None)

    def decorate(method: Handler) -> Handler:
        @functools.wraps(method)
        def handle(view: TenantView, request: Request, **names: Any) -> Response:
            given: dict[str, Any] = {}
            if query is not None:
                given["wanted"] = dict(check_input(query, request.query_params).validated_data)
            if isinstance(body, type):
                given["body"] = check_input(body, request.data)
            value = method(view, **names, **given)
            return value if isinstance(value, Response) else render_answer(answer, value, status)

        describe = extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=" ".join((method.__doc__ or "").split()),
            parameters=[one for one in (query, if_match and IF_MATCH) if one],
            request=body,
            responses={status: described, **ERRORS, **({412: ErrorOutput} if if_match else {})},
        )
        decorated: Handler = describe(handle)
        return decorated

    return decorate


def render_answer(answer: Any, value: Any, status: int) -> Response:
    if answer is None:
        return Response(status=status)
    headers = write_etag(answer.etag(value)) if answer.etag else None
    return Response(answer(value).data, status=status, headers=headers)
