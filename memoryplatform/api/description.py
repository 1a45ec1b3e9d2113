"""The description of the API. Anybody may ask for it, and to build it takes seconds: a process does so once."""

import hashlib
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer


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
