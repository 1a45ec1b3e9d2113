"""`/memories/{memory_id}`: one memory, its edits and its history."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation
from memoryplatform.api.compat.hindsight.hindsight_view import BadRequest, HindsightView, NotOffered, read_body
from memoryplatform.api.v1.memory import HistoryOutput, UnitEditInput
from memoryplatform.operations.access import name_of
from memoryplatform.operations.memories import single
from memoryplatform.operations.memories.described_units import DescribedUnit

EDITABLE = (Network.WORLD, Network.EXPERIENCE)
EDITABLE_FIELDS = (
    "text",
    "context",
    "occurred_start",
    "occurred_end",
    "mentioned_at",
    "fact_type",
    "importance",  # this and the next are our own fields
    "tags",
    "metadata",
)
CLEARABLE_FIELDS = ("occurred_start", "occurred_end")


def describe_fact(shown: DescribedUnit) -> dict[str, Any]:
    unit = shown.unit
    return {
        "id": unit.id,
        "text": unit.rendered_text,
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
    """An observation lists the facts that it rests on."""
    fields = describe_memory(shown) | {"entities": ", ".join(entity.name for entity in shown.entities)}
    if shown.unit.network != Network.OBSERVATION:
        return fields
    return fields | {"source_memory_ids": [source.other_unit_id for source in shown.sources if source.other_unit_id]}


class HindsightMemoryView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> object:
        return describe_memory(single.show_memory(self.access, bank_id, memory_id).described)

    def patch(self, request: Request, bank_id: str, memory_id: UUID) -> object:
        if single.show_memory(self.access, bank_id, memory_id).described.unit.network not in EDITABLE:
            raise BadRequest("Only world and experience facts can be edited: the others are derived from them.")
        given = request.data if isinstance(request.data, dict) else {}
        if given.get("entities") is not None:
            raise NotOffered("The entities of a memory can't be set here: merge, split or rename the entities.")
        return describe_memory(self.curate(bank_id, memory_id, given, self.expected).described)

    def curate(
        self, bank_id: str, memory_id: UUID, given: dict[str, Any], expected: frozenset[str] | None
    ) -> single.ShownMemory:
        """Hindsight accepts an edit and a state in one call: restore, then edit, then close.

        The whole request is validated first. With `If-Match`, each later step expects the version that the step before
        made.
        """
        state, reason = given.get("state"), given.get("reason") or ""
        edits = read_edits(given)
        if state is not None:
            read_body(UnitEditInput, {"state": state, "reason": reason})
        edit = None
        if edits or state is None:
            edit = read_body(UnitEditInput, {**edits, "reason": reason}).unit_edit()
        if state == "valid":
            shown = single.restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected)
            expected = expected and frozenset({shown.version})
        if edit is not None:
            shown = single.edit_memory(self.access, bank_id, memory_id, edit, expected=expected, reason=reason)
            expected = expected and frozenset({shown.version})
        if state == "invalidated":
            closing = Invalidation("correction", explanation=reason, actor=name_of(self.access))
            shown = single.invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected)
        return shown


class HindsightMemoryHistoryView(HindsightView):
    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> object:
        return HistoryOutput(single.show_history(self.access, bank_id, memory_id)).data


def read_edits(given: dict[str, Any]) -> dict[str, Any]:
    """Null leaves a field unchanged; an empty date clears it."""
    edits = {name: given[name] for name in EDITABLE_FIELDS if given.get(name) is not None}
    return edits | {name: None for name in CLEARABLE_FIELDS if edits.get(name) == ""}
