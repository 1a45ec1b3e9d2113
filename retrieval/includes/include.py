from collections.abc import Sequence
from uuid import UUID

from retrieval.includes.chunks import include_chunks
from retrieval.includes.entities import include_entities
from retrieval.includes.links import include_links
from retrieval.includes.messages import include_messages
from retrieval.includes.types import Included
from retrieval.types import Include, RecallItem


def include(tenant_id: UUID, items: Sequence[RecallItem], wanted: Include) -> Included:
    """For the results that are returned, in their order."""
    ids = [item.candidate.id for item in items if item.candidate.kind == "unit"]
    if not ids:
        return Included()
    return Included(
        entities=() if wanted.entities is None else include_entities(tenant_id, ids, max_tokens=wanted.entities),
        chunks=() if wanted.chunks is None else include_chunks(tenant_id, ids, max_tokens=wanted.chunks),
        messages=()
        if wanted.source_messages is None
        else include_messages(tenant_id, ids, max_tokens=wanted.source_messages, neighbours=wanted.neighbours),
        links=include_links(tenant_id, ids) if wanted.links else (),
    )
