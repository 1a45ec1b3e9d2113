"""A memory as Hindsight shows it: in recalls, alone, and in lists."""

from typing import Any

from banks.words import Network
from memoryplatform.operations.memories.described_units import DescribedUnit


def describe_fact(shown: DescribedUnit) -> dict[str, Any]:
    unit = shown.unit
    return {
        "id": unit.id,
        "text": unit.text,
        "type": unit.network,
        "entities": [entity.name for entity in shown.entities],
        "context": unit.context,
        "occurred_start": unit.occurred_start,
        "occurred_end": unit.occurred_end,
        "mentioned_at": unit.mentioned_at,
        "document_id": shown.document_id,
        "metadata": shown.metadata,
        "chunk_id": shown.chunk_id,
        "tags": shown.tags,
    }


def describe_memory(shown: DescribedUnit) -> dict[str, Any]:
    unit = shown.unit
    return describe_fact(shown) | {
        "fact_type": unit.network,
        "date": unit.occurred_start or unit.mentioned_at,
        "proof_count": unit.proof_count,
        "state": "valid" if unit.expired_at is None else "invalidated",
        "invalidated_at": unit.expired_at,
        "invalidation_reason": shown.closed_because or unit.close_reason or None,
        "created_at": unit.recorded_at,
        "updated_at": unit.updated_at,
        "edited_at": shown.edited_at,
        "history": [],
    }


def describe_listed(shown: DescribedUnit) -> dict[str, Any]:
    """An observation comes with the facts that it rests on."""
    told = describe_memory(shown) | {"entities": ", ".join(entity.name for entity in shown.entities)}
    if shown.unit.network != Network.OBSERVATION:
        return told
    return told | {"source_memory_ids": [source.other_unit_id for source in shown.sources if source.other_unit_id]}
