"""Tags and metadata as they come in."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.json_types import check_types

MOST_TAGS = 100
MOST_VALUES = 100


@extend_schema_field({"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": MOST_TAGS})
class TagsField(serializers.ListField):
    """A list, or one that came as its JSON, as some callers send it."""

    child = serializers.CharField(max_length=200)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs, max_length=MOST_TAGS)

    def to_internal_value(self, data: Any) -> Any:
        given = read_json(data) if isinstance(data, str) else data
        check_types(self, given)
        return super().to_internal_value(given)


class MetadataField(serializers.DictField):
    """Names of up to 100 characters with values of up to 500."""

    child = serializers.CharField(max_length=500, allow_blank=True)
    names = serializers.CharField(max_length=100)

    def to_internal_value(self, data: Any) -> Any:
        values = super().to_internal_value(data)
        if len(values) > MOST_VALUES:
            raise serializers.ValidationError(f"Must have no more than {MOST_VALUES} entries.")
        return {self.names.run_validation(name): value for name, value in values.items()}


def read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
