"""What an editor sends back to say what he saw: a digest of the fields that can be edited."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from reflection.errors import ChangedMeanwhile

CHARACTERS = 16


def write_version(editable: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(editable, sort_keys=True).encode()).hexdigest()[:CHARACTERS]


def check_version(held: str, expected: frozenset[str] | None) -> None:
    """`expected` are the versions that will do, or None where all do. Call while holding the row lock."""
    if expected is not None and held not in expected:
        raise ChangedMeanwhile
