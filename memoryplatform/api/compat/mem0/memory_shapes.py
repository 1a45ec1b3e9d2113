"""A memory as mem0 shows it."""

from collections.abc import Mapping, Sequence
from typing import Any

from memoryplatform.api.compat.mem0.metadata import EXPIRATION, read_metadata
from memoryplatform.api.compat.mem0.owners import describe_owners, list_categories
from memoryplatform.operations.memories.described_units import DescribedUnit


def describe_memory(shown: DescribedUnit) -> dict[str, Any]:
    unit, owners = shown.unit, describe_owners(shown.tags)
    return {
        "id": unit.id,
        "memory": unit.text,
        **owners,
        "session_id": owners["run_id"],
        "metadata": read_metadata(shown.metadata),
        "categories": list_categories(shown.tags),
        "created_at": unit.mentioned_at,
        "updated_at": unit.updated_at,
        "expiration_date": shown.metadata.get(EXPIRATION),
        "structured_attributes": None,
        "replaced_by": unit.superseded_by_id if unit.expired_at else None,  # not by what is announced
        "synthesized": False,
        "lifecycle_state": "active" if unit.expired_at is None else "replaced",
    }


def pick_fields(memory: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Those that were asked for, and the id; all where none were."""
    return {name: value for name, value in memory.items() if not fields or name == "id" or name in fields}
