"""Metadata of mem0 is any JSON, ours is text: what is no text is stored as its JSON behind a mark.

What mem0 knows about a memory and we have no column for stands in metadata too, under names of our own that a caller
can't give.
"""

import json
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memoryplatform.api.any_json import check_json, find_fault
from memoryplatform.api.v1.labels import MetadataField

OWN = "mem0."
EXPIRATION = "mem0.expiration_date"
IMMUTABLE = "mem0.immutable"
FEEDBACK = "mem0.feedback"
FEEDBACK_REASON = "mem0.feedback_reason"
ROLE = "mem0.role"  # of a source that is no message, where it is not the usual one
USUAL_ROLE = "user"
MARK = "json:"
FIELD = MetadataField()


def write_value(value: Any) -> str:
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return f"{MARK}{json.dumps(value, separators=(',', ':'), sort_keys=True)}"


def read_value(stored: str) -> Any:
    """Metadata that came in another way may begin with the mark and be no JSON, or none that can be shown."""
    if not stored.startswith(MARK):
        return stored
    try:
        value = json.loads(stored.removeprefix(MARK))
    except (ValueError, RecursionError):
        return stored
    return stored if find_fault(value) else value


def write_metadata(given: Any) -> dict[str, str]:
    """As it is stored. Raises a ValidationError where it can't be."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise serializers.ValidationError({"metadata": ["Must be an object."]})
    try:
        check_json(given)
        check_names(given)
        written: dict[str, str] = FIELD.run_validation({name: write_value(value) for name, value in given.items()})
    except serializers.ValidationError as fault:
        raise serializers.ValidationError({"metadata": fault.detail}) from fault
    return written


def check_names(given: Mapping[str, Any]) -> None:
    if any(name.startswith(OWN) for name in given):
        raise serializers.ValidationError(f"Names that begin with {OWN} are taken.")


def read_metadata(stored: Mapping[str, str]) -> dict[str, Any]:
    return {name: read_value(value) for name, value in keep_told(stored).items()}


def keep_told(stored: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in stored.items() if not name.startswith(OWN)}


def keep_own(stored: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in stored.items() if name.startswith(OWN)}
