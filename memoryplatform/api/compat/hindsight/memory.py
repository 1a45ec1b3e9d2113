"""`/memories/{memory_id}`: one memory, its edits and its history."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitChange
from memoryplatform.api.compat.hindsight.hindsight_view import BadRequest, HindsightView, NotOffered, read_body
from memoryplatform.api.v1.memory import UnitEditInput
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import bank_transaction
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
VERSIONED = ("text", "occurred_start", "occurred_end", "mentioned_at")  # with the tags
CHANGE_FIELDS = ("action", "actor", "reason", "before", "after")
SOURCE_FIELDS = ("id", "context", "occurred_start", "mentioned_at")
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
    return fields | {"source_memory_ids": list_source_ids(shown)}


class HindsightMemoryView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> object:
        described = single.show_memory(self.access, bank_id, memory_id).described
        history = list_changes(self.access, bank_id, described)
        with bank_transaction(self.access, bank_id) as bank:
            return describe_memory(described) | describe_sources(bank, described) | {"history": history}

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
        return list_changes(self.access, bank_id, single.show_memory(self.access, bank_id, memory_id).described)


def list_changes(access: BankAccess, bank_id: str, described: DescribedUnit) -> list[dict[str, Any]]:
    """Newest first. Each change has the values before it, and our own fields."""
    state: dict[str, Any] = {name: getattr(described.unit, name) for name in VERSIONED} | {"tags": described.tags}
    entries = []
    for change in reversed(single.show_history(access, bank_id, described.unit.id).changes):
        state |= {name: value for name, value in change.before.items() if name in state}
        previous = {f"previous_{name}": value for name, value in state.items()}
        entries.append({**previous, "new_source_memory_ids": [], "source_facts": [], **describe_change(change)})
    return entries


def describe_change(change: UnitChange) -> dict[str, Any]:
    return {"changed_at": change.changed_at, **{name: getattr(change, name) for name in CHANGE_FIELDS}}


def describe_sources(bank: Bank, described: DescribedUnit) -> dict[str, Any]:
    """The facts that an observation rests on. Call inside a tenant transaction."""
    ids = list_source_ids(described)
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).order_by("mentioned_at", "id")
    shown = units.only(*SOURCE_FIELDS, "bank_id", "speaker", "text", "network")
    facts = [
        {"text": one.rendered_text, "type": one.network, **{name: getattr(one, name) for name in SOURCE_FIELDS}}
        for one in shown
    ]
    return {"source_memory_ids": ids, "source_memories": facts}


def list_source_ids(described: DescribedUnit) -> list[UUID]:
    return [source.other_unit_id for source in described.sources if source.other_unit_id]


def read_edits(given: dict[str, Any]) -> dict[str, Any]:
    """Null leaves a field unchanged; an empty date clears it."""
    edits = {name: given[name] for name in EDITABLE_FIELDS if given.get(name) is not None}
    return edits | {name: None for name in CLEARABLE_FIELDS if edits.get(name) == ""}
