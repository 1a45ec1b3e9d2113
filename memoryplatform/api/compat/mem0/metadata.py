"""mem0's metadata is any JSON; ours is text. A value that is no text is stored as JSON behind a mark.

Properties of mem0 that have no column here are metadata under reserved names, which a caller can't set.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers

from banks.facts import CATEGORY, CHOSEN
from memoryplatform.api.serializers import check_json, find_json_fault
from memoryplatform.api.v1.fields import MetadataField
from retrieval.filters.tree import MARK

OWN_PREFIX = "mem0."
EXPIRATION = "mem0.expiration_date"
IMMUTABLE = "mem0.immutable"
FEEDBACK = "mem0.feedback"
FEEDBACK_REASON = "mem0.feedback_reason"
ROLE = "mem0.role"  # role of a source that is no message, if it is not the default
USUAL_ROLE = "user"
FIELD = MetadataField()


def write_value(value: Any) -> str:
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return f"{MARK}{json.dumps(value, separators=(',', ':'), sort_keys=True)}"


def read_value(stored: str) -> Any:
    """Metadata from other interfaces may begin with the mark without being valid JSON."""
    if not stored.startswith(MARK):
        return stored
    try:
        value = json.loads(stored.removeprefix(MARK))
    except (ValueError, RecursionError):
        return stored
    return stored if find_json_fault(value) else value


def write_metadata(given: Any) -> dict[str, str]:
    """Converts metadata to its stored form. Raises a ValidationError."""
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
    if any(name.startswith(OWN_PREFIX) for name in given):
        raise serializers.ValidationError(f"Names that begin with {OWN_PREFIX} are reserved.")


def read_metadata(stored: Mapping[str, str]) -> dict[str, Any]:
    return {name: read_value(value) for name, value in keep_given(stored).items()}


def keep_given(stored: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in stored.items() if not is_own(name, value)}


def keep_own(stored: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in stored.items() if is_own(name, value)}


def is_own(name: str, value: str) -> bool:
    """Categories that a model chose are metadata too."""
    return name.startswith(OWN_PREFIX) or (name.startswith(CATEGORY) and value == CHOSEN)


def list_categories(tags: Iterable[str], metadata: Mapping[str, str]) -> list[str]:
    """Of the caller, which are tags, and of the model."""
    chosen = (name for name, value in metadata.items() if value == CHOSEN)
    found = (one.removeprefix(CATEGORY) for one in (*tags, *chosen) if one.startswith(CATEGORY))
    return list(dict.fromkeys(found))
