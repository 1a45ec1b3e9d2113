"""Deleting many memories: by a filter in one bank, or by ids or another interface's filter in any banks.

Each batch is a transaction of its own. After an interruption the next attempt deletes the rest.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Count
from django.utils import timezone
from django.utils.module_loading import import_string
from pydantic import TypeAdapter

from banks.enums import Network
from banks.lifecycle.deleting import Removed, delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.legal_hold import check_not_held
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.memory_filter import MemoryFilter, Span, find_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLEAR_MEMORIES, DELETE_MEMORIES
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from memoryplatform.operations.running.submit import submit
from reflection.forgetting.archive import lock_documents
from reflection.opinions.scrubbing import scrub_entity_names
from tenants.transactions import tenant_transaction

BATCH = 500  # memories of one transaction, which other writers of the bank wait for
COUNTS = ("units", "relationships", "entities")


def delete_batch(bank: Bank, units: UnitQuerySet, *, before: Callable[[], None] = lambda: None) -> Removed:
    """Deletes the first units. `before` runs while the bank's memory is locked and all units still exist.

    Call inside a tenant transaction.
    """
    ids = units.order_by("id").values_list("id", flat=True)
    lock_documents(bank, ids[:BATCH])
    lock_memory(bank)
    check_not_held(bank)
    before()
    removed = delete_units(bank, set(ids[:BATCH]))
    follow_deletion(bank, removed)
    return removed


def write_progress(operation: Operation, gone: Removed, total: int) -> None:
    """Keeps the receipt in the payload until the end, so that it counts the deletions of earlier attempts."""
    operation.stage, operation.processed, operation.total = "deleting", gone.units, total
    operation.payload = operation.payload | {"gone": count_removed(gone)}
    operation.save()


def count_removed(removed: Removed) -> dict[str, int]:
    return {name: number for name, number in asdict(removed).items() if name in COUNTS}


def note_deletion(access: BankAccess, bank: Bank, detail: dict[str, Any]) -> None:
    target = f"bank:{bank.bank_id}"
    access.record("memories.deleted", target, detail)


FILTER = TypeAdapter(MemoryFilter)


@operation_kind(CLEAR_MEMORIES, queue="background")
@ends_with_its_bank
def perform_clearing(run: Run) -> dict[str, Any]:
    bank = load_bank(run)
    wanted = FILTER.validate_python(run.payload["filter"])
    gone = Removed(**run.payload.get("gone", {}))
    with tenant_transaction(run.tenant_id):
        total = gone.units + find_units(bank, wanted).count()
    while True:
        with run.transaction() as operation:
            batch = delete_found(bank, wanted)
            gone += batch
            write_progress(operation, gone, total)
            if not batch.units:
                receipt = {"bank_id": bank.bank_id, "deleted": count_removed(gone)}
                run.complete(operation, receipt)
                return receipt


def delete_found(bank: Bank, wanted: MemoryFilter) -> Removed:
    """Deletes a batch of the units that match the filter. Call inside a tenant transaction."""
    before = partial(forget_former_words_of, bank, wanted)
    return delete_batch(bank, find_units(bank, wanted), before=before)


def forget_former_words_of(bank: Bank, wanted: MemoryFilter) -> None:
    """Removes the entity's name from former texts of opinions that match the filter except for the entity."""
    if wanted.entity_id:
        opinions = find_units(bank, replace(wanted, entity_id=None, state="all")).filter(network=Network.OPINION)
        scrub_entity_names(bank, opinions, wanted.entity_id)


# Finds the memories that another interface's filter selects, in the banks that the key reaches. Called inside a tenant
# transaction, again for every batch. The operation stores the filter instead of the ids, which may be very many.
# `settings.MEMORY_FINDERS` has the address of each finder, because this module may not import the interfaces.
Finder = Callable[[BankAccess, dict[str, Any]], UnitQuerySet]


@operation_kind(DELETE_MEMORIES, queue="background")
def perform_deletion(run: Run) -> dict[str, Any]:
    """At the end the payload loses the filter or the ids; the receipt has the counts."""
    gone = Removed(**run.payload.get("gone", {}))
    with tenant_transaction(run.tenant_id):
        units = find_named(run.tenant_id, run.payload)
        total = gone.units + units.count()
        holding = Bank.objects.for_tenant(run.tenant_id).live().filter(id__in=units.order_by().values("bank_id"))
        banks = list(holding.order_by("id"))
    for bank in banks:
        while (removed := delete_of_bank(run, bank, gone, total)).units:
            gone += removed
    receipt = {"deleted": count_removed(gone)}
    with run.transaction() as operation:
        operation.payload = {"asked_by": run.payload["asked_by"]}
        run.complete(operation, receipt)
    return receipt


def find_named(tenant_id: UUID, payload: dict[str, Any]) -> UnitQuerySet:
    """The units that are still to be deleted, by their ids or by the filter at the time of the request."""
    if "memories" in payload:
        named: dict[str, list[str]] = payload["memories"]
        units: UnitQuerySet = MemoryUnit.objects.for_tenant(tenant_id).filter(bank_id__in=list(named))
        return units.filter(id__in=[one for ids in named.values() for one in ids])
    banks = None if payload["banks"] is None else frozenset(payload["banks"])
    find: Finder = import_string(settings.MEMORY_FINDERS[payload["finder"]])
    found = find(BankAccess(tenant_id, banks=banks), payload["asked"])
    return found.filter(recorded_at__lt=datetime.fromisoformat(payload["until"]))


def delete_of_bank(run: Run, bank: Bank, gone: Removed, total: int) -> Removed:
    """Deletes a batch of the units in this bank."""
    with run.transaction() as operation:
        removed = delete_batch(bank, find_named(run.tenant_id, run.payload).filter(bank_id=bank.id))
        write_progress(operation, gone + removed, total)
        return removed


@dataclass(frozen=True)
class Cleared:
    """The deleted rows, and the operation that deletes the rest."""

    removed: Removed = field(default_factory=Removed)
    operation: Operation | None = None


def clear_memories(access: BankAccess, bank_id: str, wanted: MemoryFilter) -> Cleared:
    """Deletes one batch while the caller waits. A worker deletes more, all of it, so that there is one receipt.

    Memories that are retained after the call stay.
    """
    wanted = replace(wanted, spans=(*wanted.spans, Span("recorded_at", end=timezone.now())))
    with bank_transaction(access, bank_id) as bank:
        found = len(find_units(bank, wanted).values_list("id", flat=True)[: BATCH + 1])
        if found <= BATCH:
            removed = delete_found(bank, wanted)
            note_deletion(access, bank, {"memories": removed.units})
            return Cleared(removed)
        payload = {"filter": FILTER.dump_python(wanted, mode="json")}
        operation = submit(access.tenant_id, CLEAR_MEMORIES, payload=payload, bank=bank)
        note_deletion(access, bank, {"operation_id": str(operation.id)})
        return Cleared(operation=operation)


MOST_IDS = 1_000  # that the audit log names


def delete_memories(access: BankAccess, found: Iterable[tuple[UUID, UUID]]) -> Operation:
    """`found` are primary keys of banks with ids of their memories, some hundreds of them."""
    by_bank: defaultdict[UUID, list[str]] = defaultdict(list)
    for bank_pk, memory_id in found:
        by_bank[bank_pk].append(str(memory_id))
    with tenant_transaction(access.tenant_id):
        reached = Bank.objects.for_tenant(access.tenant_id).within(access.banks).filter(id__in=by_bank)
        named = {str(bank_pk): by_bank[bank_pk] for bank_pk in reached.values_list("id", flat=True)}
    return begin(access, {"memories": named})


def delete_asked(access: BankAccess, finder: str, asked: dict[str, Any]) -> Operation:
    """Deletes the memories that the finder selects. Memories that are retained after the call stay."""
    banks = None if access.banks is None else sorted(access.banks)
    until = timezone.now().isoformat()
    return begin(access, {"finder": finder, "asked": asked, "banks": banks, "until": until})


def begin(access: BankAccess, named: dict[str, Any]) -> Operation:
    """Deletes few memories before it returns; a worker deletes many."""
    payload = named | {"asked_by": access.actor.api_key_prefix}
    with tenant_transaction(access.tenant_id):
        units = find_named(access.tenant_id, payload)
        counts = dict(units.order_by().values_list("bank_id").annotate(count=Count("*")))
        banks = list(Bank.objects.for_tenant(access.tenant_id).within(access.banks).filter(id__in=counts))
        few = sum(counts.values()) <= BATCH
        bank = banks[0] if len(banks) == 1 else None
        operation = submit(access.tenant_id, DELETE_MEMORIES, payload=payload, bank=bank, wake=not few)
        for one in banks:
            check_not_held(one)
            first = units.filter(bank_id=one.id).order_by("id").values_list("id", flat=True)[:MOST_IDS]
            named_ids = [str(memory_id) for memory_id in first]
            detail = {"operation_id": str(operation.id), "memories": counts[one.id], "memory_ids": named_ids}
            note_deletion(access, one, detail)
    if few:
        perform(access.tenant_id, operation.id)
    return operation
