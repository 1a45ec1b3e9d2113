"""Deleting all of somebody's memories. Without saying whose, nothing is deleted."""

import json
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.asking import read_asked
from memoryplatform.api.compat.mem0.filters.conditions import AnyOf, walk
from memoryplatform.api.compat.mem0.locating import Located
from memoryplatform.api.compat.mem0.owners import KINDS, Owner
from memoryplatform.api.compat.mem0.query_filters import LISTS, read_query_filters
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.api.serializers import check_given_once
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.delete_memories import add_finder
from memoryplatform.operations.memories.deleting import delete_asked, delete_memories
from memoryplatform.operations.memories.single import show_history
from memoryplatform.operations.models import Operation

IN_PROGRESS = "Delete in progress. This may take some time."
KNOWN = {*KINDS, "metadata", "filters", "categories", "start_date", "end_date", "keywords"}
PASSED_OVER = {"org_id", "project_id"}
FINDER = "mem0"
KEYS = {kind: key for key, kind in KINDS.items()}


def delete_all(access: BankAccess, query: QueryDict) -> dict[str, Any]:
    """A parameter that is not known, or empty, may have been meant to spare something, so it refuses the call.

    So does one that is there twice, where one value alone would be followed.
    """
    unknown = sorted(set(query) - KNOWN - PASSED_OVER)
    if unknown:
        raise serializers.ValidationError(f"Not a filter of this call: {', '.join(unknown)}. Nothing is deleted.")
    check_given_once(query, lists=LISTS)
    asked = read_query_filters(query)
    empty = sorted(name for name in KNOWN.intersection(query) if not (asked.get(name) and all(query.getlist(name))))
    if empty:
        raise serializers.ValidationError(f"Given without a value: {', '.join(empty)}. Nothing is deleted.")
    operation = delete_asked(access, FINDER, as_kept(asked))
    return {"message": IN_PROGRESS, "event_id": operation.id}


def delete_of_owner(access: BankAccess, owner: Owner) -> Operation:
    return delete_asked(access, FINDER, {KEYS[owner.kind]: owner.name})


def find_asked(access: BankAccess, asked: dict[str, Any]) -> UnitQuerySet:
    """Also what no longer holds."""
    return find_told(access, read_asked(asked, flat_ids=True), closed=True)


add_finder(FINDER, find_asked)


def as_kept(asked: dict[str, Any]) -> dict[str, Any]:
    """As the operation keeps it. In a query may stand what no JSON has: it is refused, not read as something else."""
    if any(isinstance(one, AnyOf) and not one.conditions for one in walk(read_asked(asked, flat_ids=True))):
        raise serializers.ValidationError("A list of values is empty. Nothing is deleted.")
    try:
        kept: dict[str, Any] = json.loads(json.dumps(asked))
    except (TypeError, ValueError):
        raise serializers.ValidationError("The filters must be JSON. Nothing is deleted.") from None
    return kept


def delete_superseded(access: BankAccess, located: Located) -> int:
    """The older memories that this one replaced, so that none of them comes back."""
    older = show_history(access, located.bank_id, located.memory_id).supersedes
    delete_memories(access, [(unit.bank_id, unit.id) for unit in older])
    return len(older)
