"""Settings of a bank that only Hindsight's interface writes, as the engine reads them.

`Bank.hindsight_settings` has them under Hindsight's names. The interface has checked their types. An import has not,
so a value of another type counts as absent here.
"""

from collections.abc import Mapping
from typing import Any

Stored = Mapping[str, Any]
CUSTOM = "custom"  # the mode that reads the custom instructions
SMALLEST_CHUNK, LARGEST_CHUNK = 1_000, 8_000  # characters: below, the overlap leaves no room for a chunk's own part


def read_text(stored: Stored, name: str) -> str:
    value = stored.get(name)
    return value if isinstance(value, str) else ""


def read_custom_instructions(stored: Stored) -> str:
    """Empty unless the bank has the mode that reads them."""
    return read_text(stored, "retain_custom_instructions") if stored.get("retain_extraction_mode") == CUSTOM else ""


def read_chunk_size(stored: Stored) -> int | None:
    """A size out of range becomes the nearest one in it. None: the usual size."""
    size = stored.get("retain_chunk_size")
    return max(SMALLEST_CHUNK, min(LARGEST_CHUNK, size)) if type(size) is int else None


def makes_observations(stored: Stored) -> bool:
    return stored.get("enable_observations") is not False


def refreshes_by_itself(stored: Stored) -> bool:
    """Otherwise observations are refreshed when a caller asks for it."""
    return makes_observations(stored) and stored.get("enable_auto_consolidation") is not False
