"""What a list or a search asks for: the filters, and what each version lets stand beside them."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from memoryplatform.api.compat.mem0.filters.conditions import AllOf, Condition, Not, ValueBetween
from memoryplatform.api.compat.mem0.filters.grammar import read_beside, read_filters, require_somebody
from memoryplatform.api.compat.mem0.metadata import EXPIRATION
from memoryplatform.api.compat.mem0.owners import KINDS

# The name beside `filters`, and how it is asked inside of them.
BESIDE = {
    "start_date": ("created_at", "gte"),
    "end_date": ("created_at", "lte"),
    "keywords": ("keywords", "icontains"),
    "categories": ("categories", "in"),
}


def read_asked(given: Any, *, flat_ids: bool = False) -> Condition:
    """`flat_ids`: the ids may stand beside the filters, as older versions send them."""
    if not isinstance(given, Mapping):
        raise serializers.ValidationError("The body must be an object.")
    names = [name for name in KINDS if given.get(name) is not None]
    if names and not flat_ids:
        raise serializers.ValidationError(f"{', '.join(names)} must stand inside filters.")
    conditions = [read_filters(given["filters"])] if given.get("filters") is not None else []
    conditions += [read_beside(name, name, given[name]) for name in names]
    for name, (key, operator) in BESIDE.items():
        if given.get(name):
            conditions.append(read_beside(name, key, {operator: given[name]}))
    if given.get("metadata"):
        conditions.append(read_beside("metadata", "metadata", given["metadata"]))
    return require_somebody(AllOf(tuple(conditions)))


def without_expired(condition: Condition) -> Condition:
    """A memory is shown up to the day that it expires on."""
    today = timezone.now().date().isoformat()
    return AllOf((condition, Not(ValueBetween(EXPIRATION, None, today))))
