"""Metadata of mem0 is any JSON, ours is text: what is no text is stored as its JSON behind a mark.

What mem0 knows about a memory and we have no column for stands in metadata too, under names of our own that a caller
can't give.
"""

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memoryplatform.api.v1.labels import MetadataField

OWN = "mem0."
EXPIRATION = "mem0.expiration_date"
IMMUTABLE = "mem0.immutable"
FEEDBACK = "mem0.feedback"
FEEDBACK_REASON = "mem0.feedback_reason"
MARK = "json:"
FIELD = MetadataField()


def write_value(value: Any) -> str:
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return f"{MARK}{json.dumps(value, separators=(',', ':'), sort_keys=True)}"


def read_value(stored: str) -> Any:
    """Metadata that came in another way may begin with the mark and be no JSON."""
    if not stored.startswith(MARK):
        return stored
    try:
        return json.loads(stored.removeprefix(MARK))
    except ValueError:
        return stored


def write_metadata(given: Any) -> dict[str, str]:
    """As it is stored. Raises a ValidationError where it can't be."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise serializers.ValidationError({"metadata": ["Must be an object."]})
    if any(name.startswith(OWN) for name in given):
        raise serializers.ValidationError({"metadata": [f"Names that begin with {OWN} are taken."]})
    try:
        written: dict[str, str] = FIELD.run_validation({name: write_value(value) for name, value in given.items()})
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({"metadata": fault.detail}) from fault
    return written


def read_metadata(stored: Mapping[str, str]) -> dict[str, Any]:
    return {name: read_value(value) for name, value in stored.items() if not name.startswith(OWN)}


def keep_own(stored: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in stored.items() if name.startswith(OWN)}
