"""Deleting memories by their ids, in whichever banks: always an operation, so that there is a receipt to ask for."""

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from banks.models import Bank
from memoryplatform.operations.bank_profile import BankAccess
from memoryplatform.operations.kinds.delete_memories import BATCH, NAME
from memoryplatform.operations.models import Operation
from memoryplatform.operations.perform import perform
from memoryplatform.operations.submit import submit
from tenants.audit import record
from tenants.transactions import tenant_transaction

MOST_IDS = 1_000  # that the audit log names


def delete_memories(access: BankAccess, found: Iterable[tuple[UUID, UUID]]) -> Operation:
    """`found` are keys of banks with ids of their memories. Few are gone when this returns, many go by a worker."""
    by_bank: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for bank_pk, memory_id in found:
        by_bank[bank_pk].append(memory_id)
    few = sum(map(len, by_bank.values())) <= BATCH
    with tenant_transaction(access.tenant_id):
        banks = list(Bank.objects.for_tenant(access.tenant_id).within(access.banks).filter(id__in=by_bank))
        named = {str(bank.id): [str(one) for one in by_bank[bank.id]] for bank in banks}
        payload = {"memories": named, "asked_by": access.actor.api_key_prefix}
        bank = banks[0] if len(banks) == 1 else None
        operation = submit(access.tenant_id, NAME, payload=payload, bank=bank, wake=not few)
        for one in banks:
            note(access, one, operation, named[str(one.id)])
    if few:
        perform(access.tenant_id, operation.id)
    return operation


def note(access: BankAccess, bank: Bank, operation: Operation, ids: list[str]) -> None:
    detail = {"operation_id": str(operation.id), "memories": len(ids), "memory_ids": ids[:MOST_IDS]}
    target = f"bank:{bank.bank_id}"
    record(access.tenant_id, actor=access.actor, action="memories.deleted", target=target, detail=detail)
