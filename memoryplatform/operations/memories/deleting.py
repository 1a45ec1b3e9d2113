"""Deleting memories in whichever banks, by their ids or by what a caller asks in words of his own.

Always an operation, so that there is a receipt to ask for.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from banks.models import Bank
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.delete_memories import find_named
from memoryplatform.operations.memories import batches
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import DELETE_MEMORIES
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from tenants.transactions import tenant_transaction

MOST_IDS = 1_000  # that the audit log names


def delete_memories(access: BankAccess, found: Iterable[tuple[UUID, UUID]]) -> Operation:
    """`found` are keys of banks with ids of their memories, some hundreds of them."""
    by_bank: defaultdict[UUID, list[str]] = defaultdict(list)
    for bank_pk, memory_id in found:
        by_bank[bank_pk].append(str(memory_id))
    with tenant_transaction(access.tenant_id):
        reached = Bank.objects.for_tenant(access.tenant_id).within(access.banks).filter(id__in=by_bank)
        named = {str(bank_pk): by_bank[bank_pk] for bank_pk in reached.values_list("id", flat=True)}
    return begin(access, {"memories": named})


def delete_asked(access: BankAccess, finder: str, asked: dict[str, Any]) -> Operation:
    """What the finder of this name finds for what was asked. What is retained after the call is not meant by it."""
    banks = None if access.banks is None else sorted(access.banks)
    until = timezone.now().isoformat()
    return begin(access, {"finder": finder, "asked": asked, "banks": banks, "until": until})


def begin(access: BankAccess, named: dict[str, Any]) -> Operation:
    """Few are gone when this returns, many go by a worker."""
    payload = named | {"asked_by": access.actor.api_key_prefix}
    with tenant_transaction(access.tenant_id):
        units = find_named(access.tenant_id, payload)
        counts = dict(units.order_by().values_list("bank_id").annotate(count=Count("*")))
        banks = list(Bank.objects.for_tenant(access.tenant_id).within(access.banks).filter(id__in=counts))
        few = sum(counts.values()) <= batches.BATCH
        bank = banks[0] if len(banks) == 1 else None
        operation = submit(access.tenant_id, DELETE_MEMORIES, payload=payload, bank=bank, wake=not few)
        for one in banks:
            named_ids = list_first(units.filter(bank_id=one.id))
            detail = {"operation_id": str(operation.id), "memories": counts[one.id], "memory_ids": named_ids}
            batches.note_deletion(access, one, detail)
    if few:
        perform(access.tenant_id, operation.id)
    return operation


def list_first(units: UnitQuerySet) -> list[str]:
    return [str(one) for one in units.order_by("id").values_list("id", flat=True)[:MOST_IDS]]
