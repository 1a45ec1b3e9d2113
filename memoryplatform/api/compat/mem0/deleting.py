"""Deleting all of somebody's memories. Without saying whose, nothing is deleted."""

from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from memoryplatform.api.compat.mem0.asking import read_asked
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.locating import Located
from memoryplatform.api.compat.mem0.owners import KINDS
from memoryplatform.api.compat.mem0.query_filters import read_query_filters
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.operations.bank_profile import BankAccess
from memoryplatform.operations.delete_memories import delete_memories
from memoryplatform.operations.memories import show_history
from memoryplatform.operations.models import Operation
from tenants.transactions import tenant_transaction

IN_PROGRESS = "Delete in progress. This may take some time."
KNOWN = {*KINDS, "metadata", "filters", "categories", "start_date", "end_date", "keywords"}
PASSED_OVER = {"org_id", "project_id"}


def delete_all(access: BankAccess, query: QueryDict) -> dict[str, Any]:
    """A parameter that is not known, or empty, may have been meant to spare something, so it refuses the call."""
    unknown = sorted(set(query) - KNOWN - PASSED_OVER)
    if unknown:
        raise serializers.ValidationError(f"Not a filter of this call: {', '.join(unknown)}. Nothing is deleted.")
    empty = sorted(name for name in KNOWN.intersection(query) if not all(query.getlist(name)))
    if empty:
        raise serializers.ValidationError(f"Given without a value: {', '.join(empty)}. Nothing is deleted.")
    operation = delete_told(access, read_asked(read_query_filters(query), flat_ids=True))
    return {"message": IN_PROGRESS, "event_id": operation.id}


def delete_told(access: BankAccess, condition: Condition) -> Operation:
    """Also what no longer holds."""
    with tenant_transaction(access.tenant_id):
        found = list(find_told(access, condition, closed=True).order_by("id").values_list("bank_id", "id"))
    return delete_memories(access, found)


def delete_superseded(access: BankAccess, located: Located) -> int:
    """The older memories that this one replaced, so that none of them comes back."""
    older = show_history(access, located.bank_id, located.memory_id).supersedes
    delete_memories(access, [(unit.bank_id, unit.id) for unit in older])
    return len(older)
