"""One file for each kind of operation. Importing this package registers them all."""

from memoryplatform.operations.kinds import (
    clear_memories,
    consolidate,
    delete_bank,
    refresh_observations,
    retain,
    tend_bank,
    vector_index,
)

__all__ = [
    "clear_memories",
    "consolidate",
    "delete_bank",
    "refresh_observations",
    "retain",
    "tend_bank",
    "vector_index",
]
