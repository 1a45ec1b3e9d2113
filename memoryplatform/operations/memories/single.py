"""What a caller does with single memories: look, edit, close, restore, follow, delete."""

from dataclasses import dataclass, replace
from uuid import UUID

from django.utils import timezone

from banks.entities.spoken_of import read_spoken_of
from banks.errors import MemoryNotFound
from banks.lifecycle.delete import Removed, delete_units
from banks.lifecycle.edit import UnitEdit, UnitState, check_version, edit_unit, read_state
from banks.lifecycle.history import History, read_history
from banks.lifecycle.invalidate import Invalidation, invalidate_unit
from banks.lifecycle.restore import restore_unit
from banks.lifecycle.retagged import forget_what_sums_up
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, Mention
from banks.words import FACTUAL
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units, read_links
from memoryplatform.operations.memories.edited_facts import follow_retelling, read_edited
from memoryplatform.operations.mental_models.refreshes import follow_closed, follow_facts
from memoryplatform.operations.opinions.lost_evidence import weigh_anew
from memoryplatform.operations.reserved_tags import refuse_marks
from reflection.forgetting.told_from import lock_documents
from reflection.observations.marking import mark_stale
from reflection.opinions.history.outside import note_outside_change
from tenants.audit import record
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class ShownMemory:
    """A memory with all that is known about it; `version` is what an editor sends back."""

    described: DescribedUnit
    version: str


def get_unit(bank: Bank, memory_id: UUID) -> MemoryUnit:
    unit = MemoryUnit.objects.of_bank(bank).filter(id=memory_id).first()
    if unit is None:
        raise MemoryNotFound(memory_id)
    return unit


def show_memory(access: BankAccess, bank_id: str, memory_id: UUID) -> ShownMemory:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        return show(bank, get_unit(bank, memory_id))


def show(bank: Bank, unit: MemoryUnit) -> ShownMemory:
    (described,) = describe_units(bank, [unit])
    linked = replace(described, links=tuple(read_links(bank, unit)))
    return ShownMemory(linked, read_state(bank, unit).version)


def show_history(access: BankAccess, bank_id: str, memory_id: UUID) -> History:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        return read_history(bank, get_unit(bank, memory_id))


def edit_memory(
    access: BankAccess,
    bank_id: str,
    memory_id: UUID,
    edit: UnitEdit,
    *,
    expected: frozenset[str] | None,
    reason: str = "",
) -> ShownMemory:
    """`expected` are the versions that the caller takes it for, or None where he does not care.

    The new text is read and embedded between two transactions, so an edit that came in meanwhile is a conflict for
    both ways.
    """
    refuse_marks(edit.tags or ())
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        unit = get_unit(bank, memory_id)
        state = read_state(bank, unit)
        check_version(unit, state, expected)
        known = read_spoken_of(bank, {unit.id})
    edited = read_edited(bank, state, edit, known)
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        check_version(unit, read_state(bank, unit), frozenset({state.version}))
        edit_unit(bank, unit, edit, vector=edited.vector, actor=name_of(access), reason=reason)
        if note_outside_change(bank, unit, actor=name_of(access), reason=reason):
            weigh_anew(bank, unit)
        if edited.told is not None:
            follow_retelling(bank, unit, edited.told, former=state.text, actor=name_of(access))
        if unit.network in FACTUAL and frozenset(state.tags) != frozenset(read_state(bank, unit).tags):
            follow_deletion(bank, forget_what_sums_up(bank, [unit.id]), actor=name_of(access))
        elif edited.told is None and is_told_otherwise(state, read_state(bank, unit)):
            renew_observations(bank, unit)
        note(access, bank_id, "memory.edited", memory_id)
        return show(bank, unit)


def is_told_otherwise(before: UnitState, after: UnitState) -> bool:
    """Whether an observer reads something else by now: of facts only, and a memory may have become one, or none."""
    told = [
        (state.text, state.network, state.mentioned_at, state.occurred_start) if state.network in FACTUAL else None
        for state in (before, after)
    ]
    return told[0] != told[1]


def renew_observations(bank: Bank, fact: MemoryUnit) -> None:
    """Call inside the tenant transaction that changed a fact by hand: observations of its entities may tell it."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=fact)
    mark_stale(bank, mentions.values_list("entity_id", flat=True), now=timezone.now(), is_altered=True)
    ask_for_refresh(bank)


def invalidate_memory(
    access: BankAccess,
    bank_id: str,
    memory_id: UUID,
    invalidation: Invalidation,
    *,
    expected: frozenset[str] | None = None,
) -> ShownMemory:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        check_version(unit, read_state(bank, unit), expected)
        invalidate_unit(bank, unit, invalidation)
        if note_outside_change(bank, unit, actor=name_of(access), reason=invalidation.explanation):
            weigh_anew(bank, unit)
        if unit.network in FACTUAL:
            renew_observations(bank, unit)
        follow_closed(bank, [unit.id])
        note(access, bank_id, "memory.invalidated", memory_id)
        return show(bank, unit)


def restore_memory(
    access: BankAccess, bank_id: str, memory_id: UUID, *, reason: str, expected: frozenset[str] | None = None
) -> ShownMemory:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        check_version(unit, read_state(bank, unit), expected)
        restore_unit(bank, unit, actor=name_of(access), reason=reason)
        if note_outside_change(bank, unit, actor=name_of(access), reason=reason):
            weigh_anew(bank, unit)
        if unit.network in FACTUAL:
            renew_observations(bank, unit)
        follow_facts(bank, [unit.id])
        note(access, bank_id, "memory.restored", memory_id)
        return show(bank, unit)


def delete_memory(
    access: BankAccess, bank_id: str, memory_id: UUID, *, expected: frozenset[str] | None = None
) -> Removed:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        lock_documents(bank, [memory_id])
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        check_version(unit, read_state(bank, unit), expected)
        removed = delete_units(bank, {unit.id})
        follow_deletion(bank, removed, actor=name_of(access))
        note(access, bank_id, "memory.deleted", memory_id)
        return removed


def note(access: BankAccess, bank_id: str, action: str, memory_id: UUID) -> None:
    target = f"memory:{memory_id}"
    record(access.tenant_id, actor=access.actor, action=action, target=target, detail={"bank_id": bank_id})
