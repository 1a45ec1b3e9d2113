"""`/memories/{memory_id}`: one memory, its curation and its history."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from banks.lifecycle.invalidate import Invalidation
from banks.words import Network
from memoryplatform.api.compat.hindsight.errors import BadRequest, NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.memory_shapes import describe_memory
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.v1.memory_input import UnitEditInput
from memoryplatform.api.v1.memory_output import HistoryOutput
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.access import name_of
from memoryplatform.operations.memories.single import (
    ShownMemory,
    edit_memory,
    invalidate_memory,
    restore_memory,
    show_history,
    show_memory,
)

CURATED = (Network.WORLD, Network.EXPERIENCE)
EDITED = (
    "text",
    "context",
    "occurred_start",
    "occurred_end",
    "mentioned_at",
    "fact_type",
    "importance",  # this and what follows is ours
    "tags",
    "metadata",
)


CLEARABLE = ("occurred_start", "occurred_end")


class HindsightMemoryView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> Response:
        return render(show_memory(self.access, bank_id, memory_id))

    def patch(self, request: Request, bank_id: str, memory_id: UUID) -> Response:
        if show_memory(self.access, bank_id, memory_id).described.unit.network not in CURATED:
            raise BadRequest("Only world and experience facts can be edited: the others are derived from them.")
        given = request.data if isinstance(request.data, dict) else {}
        if given.get("entities") is not None:
            raise NotOffered("The entities of a memory can't be set here: merge, split or rename the entities.")
        return render(self.curate(bank_id, memory_id, given, read_expected(request)))

    def curate(
        self, bank_id: str, memory_id: UUID, given: dict[str, Any], expected: frozenset[str] | None
    ) -> ShownMemory:
        """Hindsight takes an edit and a state in one call: restored before it is edited, closed after.

        All of it is read before the first is done. Who expects a version expects after the first what that made.
        """
        state, reason = given.get("state"), given.get("reason") or ""
        edits = read_edits(given)
        if state is not None:
            read_body(UnitEditInput, {"state": state, "reason": reason})
        edit = None
        if edits or state is None:
            edit = read_body(UnitEditInput, {**edits, "reason": reason}).unit_edit()
        if state == "valid":
            shown = restore_memory(self.access, bank_id, memory_id, reason=reason, expected=expected)
            expected = expected and frozenset({shown.version})
        if edit is not None:
            shown = edit_memory(self.access, bank_id, memory_id, edit, expected=expected, reason=reason)
            expected = expected and frozenset({shown.version})
        if state == "invalidated":
            closing = Invalidation("correction", explanation=reason, actor=name_of(self.access))
            shown = invalidate_memory(self.access, bank_id, memory_id, closing, expected=expected)
        return shown


class HindsightMemoryHistoryView(HindsightView):
    def get(self, _request: Request, bank_id: str, memory_id: UUID) -> Response:
        return Response(HistoryOutput(show_history(self.access, bank_id, memory_id)).data)


def read_edits(given: dict[str, Any]) -> dict[str, Any]:
    """Null leaves a field as it is, and an empty date clears it."""
    edits = {name: given[name] for name in EDITED if given.get(name) is not None}
    return edits | {name: None for name in CLEARABLE if edits.get(name) == ""}


def render(shown: ShownMemory) -> Response:
    return Response(describe_memory(shown.described))
