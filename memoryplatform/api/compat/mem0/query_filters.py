"""Filters that stand in the query of a URL, where the newer versions have a body."""

import ast
import json
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

LONGEST = 10_000
OBJECTS = ("metadata", "filters")
LISTS = ("categories", "fields")


def read_query_filters(query: QueryDict) -> dict[str, Any]:
    """As a body would have them; what is empty is left out."""
    given: dict[str, Any] = {name: value for name, value in query.items() if value}
    for name in OBJECTS:
        if name in given:
            given[name] = read_object(name, given[name])
    return given | {name: query.getlist(name) for name in LISTS if name in given}


def read_object(name: str, given: str) -> Mapping[str, Any]:
    """JSON, or a Python dict as the client's library writes one into a query."""
    if len(given) > LONGEST:
        raise serializers.ValidationError({name: [f"Must have at most {LONGEST} characters."]})
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(given)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(found, Mapping):
            return found
    raise serializers.ValidationError({name: ["Must be an object."]})
