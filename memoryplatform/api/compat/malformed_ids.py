"""Addresses that lead nowhere only because what stands in the place of an id is none."""

import re
from collections.abc import Iterable
from functools import cache

from django.urls import URLPattern
from django.urls.converters import UUIDConverter
from django.urls.resolvers import RoutePattern

from memoryplatform.api.compat.hindsight import urls as hindsight_urls
from memoryplatform.api.errors import readable

PREFIXES = ("v1/default/", "v1/")
LONGEST_SHOWN = 100  # characters
CONVERTER = re.compile(UUIDConverter.regex)


def find_malformed_id(path: str) -> str:
    """What stands in its place; empty where the address leads nowhere anyway."""
    prefix = next((one for one in PREFIXES if path.lstrip("/").startswith(one)), None)
    if prefix is None:
        return ""
    rest = path.lstrip("/").removeprefix(prefix)
    for names, pattern in loosen_routes():
        match = pattern.match(rest)
        if match:
            given = (str(match[2][name]) for name in names)
            return next((readable(one)[:LONGEST_SHOWN] for one in given if not CONVERTER.fullmatch(one)), "")
    return ""


@cache
def loosen_routes() -> list[tuple[list[str], RoutePattern]]:
    """Every route with ids, as if anything could be one; with the names of those."""
    return list(loosen(hindsight_urls.urlpatterns))


def loosen(routes: Iterable[URLPattern]) -> Iterable[tuple[list[str], RoutePattern]]:
    for route in routes:
        address = str(route.pattern)
        names = [name for name in route.pattern.converters if f"<uuid:{name}>" in address]
        if names:
            yield names, RoutePattern(address.replace("<uuid:", "<str:"), is_endpoint=True)
