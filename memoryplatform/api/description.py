"""The description of the API. Anybody may ask for it, and to build it takes seconds: a process does so once."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer

SECOND_ADDRESS = "/v1/default/"  # where all of it stands once more, for Hindsight's clients
Endpoint = tuple[str, str, str, Callable[..., Any]]  # path, path as a pattern, method, view


def leave_out_second_addresses(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Each route is described once, at its first address."""
    return [one for one in endpoints if not one[0].startswith(SECOND_ADDRESS)]


@cache
def build_description() -> bytes:
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]  # the library has no types for it
    described = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # nor for this
    return bytes(OpenApiJsonRenderer().render(described))


@cache
def hash_description() -> str:
    return f'"{hashlib.sha256(build_description()).hexdigest()[:32]}"'


@require_safe
@condition(etag_func=lambda _: hash_description())
def describe_api(_: HttpRequest) -> HttpResponse:
    return HttpResponse(build_description(), content_type=OpenApiJsonRenderer.media_type)
