"""Use-cases of erasures: preview, request, show. A worker performs a request (`kinds/erase.py`)."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from banks.lifecycle import editing
from banks.locking import lock_memory
from banks.models import Bank, Document, QuarantinedItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.legal_hold import check_not_held
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.documents import get_document
from memoryplatform.operations.erasures.labels import erase_labels, read_names
from memoryplatform.operations.erasures.receipts import Receipt, begin_count, build_receipt, list_gone, list_ids
from memoryplatform.operations.erasures.targets import Kind, Target, find_words, find_words_of_memories
from memoryplatform.operations.erasures.traces import erase_traces
from memoryplatform.operations.errors import ErasureNotFound
from memoryplatform.operations.memories.after_deletion import follow_deletion, forget_quotations
from memoryplatform.operations.memories.single import get_unit
from memoryplatform.operations.models import Erasure
from memoryplatform.operations.running.kind_names import ERASE
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from reflection.forgetting.archive import lock_documents
from reflection.forgetting.erased_words import Words, erase_dependants, erase_words
from tenants.audit import Actor
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction


class PreviewDone(Exception):
    """Rolls a preview back."""


def preview(access: BankAccess, target: Target) -> Receipt:
    """Performs the erasure in a transaction that is rolled back, so its numbers are exact."""
    try:
        with bank_transaction(access, target.bank_id) as bank:
            if target.kind == Kind.BANK:
                lock_memory(bank)
                check_not_held(bank)
                receipt = build_receipt(list_ids(bank))
            else:
                receipt = erase(bank, find_words(bank, target))
            raise PreviewDone  # noqa: TRY301  # leaves the transaction
    except PreviewDone:
        return receipt


def preview_memories(access: BankAccess, bank_id: str, memory_ids: Collection[UUID]) -> Receipt:
    """The same for several memories at once."""
    try:
        with bank_transaction(access, bank_id) as bank:
            receipt = erase(bank, find_words_of_memories(bank, memory_ids))
            raise PreviewDone  # noqa: TRY301  # leaves the transaction
    except PreviewDone:
        return receipt


def request_erasure(access: BankAccess, target: Target) -> Erasure:
    """A bank is hidden at once. The operation stores ids only, so no name or text outlives the erasure."""
    with bank_transaction(access, target.bank_id, lock=target.kind == Kind.BANK) as bank:
        words = find_words(bank, target)
        check_not_held(bank)
        erasure = Erasure.objects.for_tenant(access.tenant_id).create(
            kind=target.kind,
            bank_key=bank.bank_id,
            target_id=find_row_id(bank, target),
            requested_by=name_actor(access.actor),
        )
        if target.kind == Kind.BANK:
            bank.deleted_at = timezone.now()
            bank.save(update_fields=["deleted_at"])
        payload = {
            "erasure_id": str(erasure.id),
            "kind": target.kind.value,
            "bank_pk": str(bank.id),
            "words": words.write(),
        }
        erasure.operation = submit(access.tenant_id, ERASE, payload=payload, bank=bank)
        erasure.save(update_fields=["operation"])
        detail = {"bank_id": bank.bank_id, "kind": target.kind.value}
        access.record("erasure.requested", f"erasure:{erasure.id}", detail)
        return erasure


def erase_memory(
    access: BankAccess, bank_id: str, memory_id: UUID, *, expected: frozenset[str] | None = None
) -> Erasure:
    """Erases a memory with its source words before it returns, unless a retain that is running must end first."""
    with bank_transaction(access, bank_id) as bank:
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), expected)
        erasure = request_erasure(access, Target(Kind.MEMORY, bank_id, str(memory_id)))
    if erasure.operation is not None:
        perform(access.tenant_id, erasure.operation.id)
    with tenant_transaction(access.tenant_id):
        return get_erasure(access, erasure.id)


def find_row_id(bank: Bank, target: Target) -> UUID | None:
    if target.kind == Kind.DOCUMENT:
        return get_document(bank, target.id).id
    return bank.id if target.kind == Kind.BANK else target.row_id


def name_actor(actor: Actor) -> str:
    return f"user:{actor.user_id}" if actor.user_id else f"api_key:{actor.api_key_prefix}"


def find_erasures(access: BankAccess) -> TenantQuerySet[Erasure]:
    """Call inside a tenant transaction. A key that is limited to some banks sees theirs."""
    rows = Erasure.objects.for_tenant(access.tenant_id).select_related("operation")
    return rows if access.banks is None else rows.filter(bank_key__in=access.banks)


def get_erasure(access: BankAccess, erasure_id: UUID) -> Erasure:
    """Call inside a tenant transaction."""
    erasure = find_erasures(access).filter(id=erasure_id).first()
    if erasure is None:
        raise ErasureNotFound(erasure_id)
    return erasure


def erase(bank: Bank, words: Words, *, before: Receipt | None = None) -> Receipt:
    """Erases the words and everything that repeats them. Repeatable: a second call finds what was written meanwhile.

    Call inside a tenant transaction. `before` is the receipt of an earlier call.
    """
    # Items in quarantine first, as their review locks them before it archives anything.
    quarantined = QuarantinedItem.objects.of_bank(bank).filter(id__in=words.quarantined)
    list(quarantined.order_by("id").select_for_update().values("id"))
    list(Document.objects.of_bank(bank).filter(id__in=words.documents).order_by("id").select_for_update().values("id"))
    lock_documents(bank, words.units)
    lock_memory(bank)
    check_not_held(bank)
    begin_count(bank)
    names = read_names(bank, words.entities)
    quarantined.delete()
    erased = erase_words(bank, words)
    follow_deletion(bank, erased.removed)
    more = erase_dependants(bank, erased)
    follow_deletion(bank, more)
    forget_quotations(bank.tenant_id, bank.bank_id)
    gone = list_gone()
    traces = erase_traces(bank, erased.text, [*gone.get("unit", ()), *gone.get("chunk", ()), *gone.get("document", ())])
    gone = list_gone()
    receipt = build_receipt(gone, before=before)
    counted = Counter(receipt.rewritten) + erased.rewritten + traces + erase_labels(bank, names)
    return replace(receipt, rewritten=dict(counted), samples=tuple(erased.samples), units=tuple(gone.get("unit", ())))
