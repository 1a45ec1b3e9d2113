"""Deletion of all memories that a filter selects. A filter without an owner deletes nothing."""

import json
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.filter_grammar import LIST_PARAMETERS, read_query_filters, read_request_filters
from memoryplatform.api.compat.mem0.owners import KINDS, Owner
from memoryplatform.api.compat.mem0.unit_lookup import find_units
from memoryplatform.api.filter_grammar import walk
from memoryplatform.api.serializers import check_given_once
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.delete_memories import delete_asked
from memoryplatform.operations.models import Operation
from retrieval.filters.types import AnyOf

IN_PROGRESS = "Delete in progress. This may take some time."
FILTER_PARAMETERS = {*KINDS, "metadata", "filters", "categories", "start_date", "end_date", "keywords"}
IGNORED_PARAMETERS = {"org_id", "project_id"}
FINDER = "mem0"
ID_NAMES = {kind: key for key, kind in KINDS.items()}


def delete_all(access: BankAccess, query: QueryDict) -> dict[str, Any]:
    """Refuses unknown, empty and repeated parameters: each may be a filter that should have protected something."""
    unknown = sorted(set(query) - FILTER_PARAMETERS - IGNORED_PARAMETERS)
    if unknown:
        raise serializers.ValidationError(f"Not a filter of this call: {', '.join(unknown)}. Nothing is deleted.")
    check_given_once(query, lists=LIST_PARAMETERS)
    filters = read_query_filters(query)
    empty = sorted(
        name for name in FILTER_PARAMETERS.intersection(query) if not (filters.get(name) and all(query.getlist(name)))
    )
    if empty:
        raise serializers.ValidationError(f"Given without a value: {', '.join(empty)}. Nothing is deleted.")
    operation = delete_asked(access, FINDER, write_payload(filters))
    return {"message": IN_PROGRESS, "event_id": operation.id}


def delete_of_owner(access: BankAccess, owner: Owner) -> Operation:
    return delete_asked(access, FINDER, {ID_NAMES[owner.kind]: owner.name})


def find_asked(access: BankAccess, asked: dict[str, Any]) -> UnitQuerySet:
    """The finder of the deletion operation. Includes superseded units."""
    return find_units(access, read_request_filters(asked, flat_ids=True), closed=True)


def write_payload(filters: dict[str, Any]) -> dict[str, Any]:
    """The payload of the operation. Refuses query values that JSON can't represent."""
    if any(isinstance(one, AnyOf) and not one.conditions for one in walk(read_request_filters(filters, flat_ids=True))):
        raise serializers.ValidationError("A list of values is empty. Nothing is deleted.")
    try:
        kept: dict[str, Any] = json.loads(json.dumps(filters))
    except (TypeError, ValueError):
        raise serializers.ValidationError("The filters must be JSON. Nothing is deleted.") from None
    return kept
