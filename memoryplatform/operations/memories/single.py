"""Use-cases of single memories: show, edit, close, restore, history, delete."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from banks.entities.mentions import read_mentions
from banks.entities.names.normalise import mentions
from banks.entities.types import Resolved
from banks.enums import FACTUAL
from banks.errors import MemoryNotFound
from banks.facts import PreparedFact
from banks.lifecycle import editing
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.deleting import Removed, delete_units
from banks.lifecycle.history import History, read_history
from banks.lifecycle.rereading import replace_entities_and_relationships
from banks.lifecycle.retagging import delete_summaries_of
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, Mention
from banks.rendering import render_text
from banks.types import FoundEntity
from banks.vectors import embed_texts
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.embedding_model import fill_after_edit
from memoryplatform.operations.banks.legal_hold import check_not_held
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.engine_choice import choose_engine
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units, read_links
from memoryplatform.operations.mental_models import follow_closed_units, follow_facts, refresh_lost_models
from memoryplatform.operations.observation_refreshes import mark_and_refresh
from memoryplatform.operations.opinion_weighings import weigh_again
from memoryplatform.operations.protection import screen_edit, screen_fields
from memoryplatform.operations.retain import refuse_marks
from providers.embedding.vector import Vector
from providers.llm.errors import LLMError
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.forgetting.archive import lock_documents
from reflection.mental_models import mark_sources_lost
from reflection.opinions.review import note_manual_change
from tenants.models import UsageRecord
from tenants.transactions import QuotaExceeded, tenant_transaction
from tenants.usage import record_usage

NOTHING_SPENT = Usage()


def read_edited(
    access: BankAccess, bank: Bank, state: editing.UnitState, edit: editing.UnitEdit, known: Iterable[Resolved]
) -> tuple[Vector | None, PreparedFact | None]:
    """The new vector, if the present one does not stay, and the new fact, if the text is read again.

    Call outside of transactions. `known` are the entities of the memory.

    The engine of the tenant reads the new text by the bank's extraction settings. With a language model that is one
    call.
    """
    text = editing.build_edited_text(state, edit)
    if text is None:
        return None, None
    fact = editing.build_edited_fact(state, edit)
    if fact is None:
        return embed(access, bank, [text])[0], None
    named = [FoundEntity(one.name, one.kind) for one in known]
    try:
        read, usage = choose_engine(bank.tenant_id).reread(fact, named, bank.extraction_settings)
    except (LLMError, QuotaExceeded) as failure:  # the edit goes through: what the new text still names stays
        read = replace(fact, entities=tuple(one for one in named if mentions(fact.text, one.name)))
        usage = getattr(failure, "usage", Usage())
    vector, *others = embed(access, bank, [text, *(one.text for one in read.relationships)], usage)
    return vector, PreparedFact(read, vector, (), relationship_vectors=tuple(others))


def embed(access: BankAccess, bank: Bank, texts: list[str], usage: Usage = NOTHING_SPENT) -> list[Vector]:
    """Call outside of transactions. Records the usage of an edit, with the `usage` before the embedding."""
    embedded = embed_texts(bank.tenant_id, get_embedder(bank.embedding_model), texts)
    with tenant_transaction(bank.tenant_id):
        record_usage(
            bank.tenant_id,
            UsageRecord.Kind.EDIT,
            usage + embedded.usage,
            bank_id=bank.bank_id,
            api_key_prefix=access.actor.api_key_prefix,
        )
    return embedded.vectors


def follow_retelling(bank: Bank, fact: MemoryUnit, told: PreparedFact, *, former: str, actor: str) -> None:
    """Refreshes the observations of the entities in either text, and mental models that may quote the former text.

    Call inside the tenant transaction of the edit, after it.
    """
    removed = replace_entities_and_relationships(bank, fact, told, former=former, actor=actor)
    mark_and_refresh(bank, removed.touched_entities, is_altered=True)
    mark_sources_lost(bank, [fact.id])
    refresh_lost_models(bank)


@dataclass(frozen=True)
class ShownMemory:
    """A memory with its details. `version` is the value for `If-Match`."""

    described: DescribedUnit
    version: str


def get_unit(bank: Bank, memory_id: UUID) -> MemoryUnit:
    unit = MemoryUnit.objects.of_bank(bank).filter(id=memory_id).first()
    if unit is None:
        raise MemoryNotFound(memory_id)
    return unit


def show_memory(access: BankAccess, bank_id: str, memory_id: UUID) -> ShownMemory:
    with bank_transaction(access, bank_id) as bank:
        return show(bank, get_unit(bank, memory_id))


def show(bank: Bank, unit: MemoryUnit) -> ShownMemory:
    (described,) = describe_units(bank, [unit])
    linked = replace(described, links=tuple(read_links(bank, unit)))
    return ShownMemory(linked, editing.read_state(bank, unit).version)


def show_history(access: BankAccess, bank_id: str, memory_id: UUID) -> History:
    with bank_transaction(access, bank_id) as bank:
        return read_history(bank, get_unit(bank, memory_id))


def edit_memory(
    access: BankAccess,
    bank_id: str,
    memory_id: UUID,
    edit: editing.UnitEdit,
    *,
    expected: frozenset[str] | None,
    reason: str = "",
) -> ShownMemory:
    """`expected` are the versions that the caller accepts; None accepts any.

    The new text is read and embedded between two transactions, so a concurrent edit is a conflict even without
    `expected`.
    """
    refuse_marks(edit.tags or ())
    with bank_transaction(access, bank_id) as bank:
        unit = get_unit(bank, memory_id)
        state = editing.read_state(bank, unit)
        editing.check_version(unit, state, expected)
        known = read_mentions(bank, {unit.id})
    edit, reason, flags = screen_edit(bank, edit, reason)
    vector, fact = read_edited(access, bank, state, edit, known)
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), frozenset({state.version}))
        editing.edit_unit(bank, unit, edit, vector=vector, actor=name_of(access), reason=reason)
        if edit.text is not None and list(flags) != unit.flags:
            unit.flags = list(flags)
            unit.save(update_fields=["flags"])
        if note_manual_change(bank, unit, actor=name_of(access), reason=reason):
            weigh_again(bank, unit)
        if fact is not None:
            follow_retelling(bank, unit, fact, former=render_text(state.speaker, state.text), actor=name_of(access))
        if unit.network in FACTUAL and frozenset(state.tags) != frozenset(editing.read_state(bank, unit).tags):
            follow_deletion(bank, delete_summaries_of(bank, [unit.id]), actor=name_of(access))
        elif fact is None and is_told_otherwise(state, editing.read_state(bank, unit)):
            renew_observations(bank, unit)
        note(access, bank_id, "memory.edited", memory_id)
        shown = show(bank, unit)
    fill_after_edit(access, bank, memory_id)
    return shown


def is_told_otherwise(before: editing.UnitState, after: editing.UnitState) -> bool:
    """Whether the observer's input has changed. The observer reads facts only."""
    told = [
        (state.text, state.network, state.mentioned_at, state.occurred_start) if state.network in FACTUAL else None
        for state in (before, after)
    ]
    return told[0] != told[1]


def renew_observations(bank: Bank, fact: MemoryUnit) -> None:
    """Call inside the tenant transaction of a manual change: observations of the fact's entities may repeat it."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=fact)
    mark_and_refresh(bank, mentions.values_list("entity_id", flat=True), is_altered=True)


def follow_manual_change(access: BankAccess, bank: Bank, unit: MemoryUnit, *, reason: str) -> None:
    """Call inside the tenant transaction that closed or restored the unit."""
    if note_manual_change(bank, unit, actor=name_of(access), reason=reason):
        weigh_again(bank, unit)
    if unit.network in FACTUAL:
        renew_observations(bank, unit)


def invalidate_memory(
    access: BankAccess,
    bank_id: str,
    memory_id: UUID,
    invalidation: Invalidation,
    *,
    expected: frozenset[str] | None = None,
) -> ShownMemory:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), expected)
        (reason,) = screen_fields(bank, {"explanation": invalidation.explanation}).values()
        invalidate_unit(bank, unit, replace(invalidation, explanation=reason))
        follow_manual_change(access, bank, unit, reason=reason)
        follow_closed_units(bank, [unit.id])
        note(access, bank_id, "memory.invalidated", memory_id)
        return show(bank, unit)


def restore_memory(
    access: BankAccess, bank_id: str, memory_id: UUID, *, reason: str, expected: frozenset[str] | None = None
) -> ShownMemory:
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), expected)
        (reason,) = screen_fields(bank, {"reason": reason}).values()
        restore_unit(bank, unit, actor=name_of(access), reason=reason)
        follow_manual_change(access, bank, unit, reason=reason)
        follow_facts(bank, [unit.id])
        note(access, bank_id, "memory.restored", memory_id)
        return show(bank, unit)


def delete_memory(
    access: BankAccess, bank_id: str, memory_id: UUID, *, expected: frozenset[str] | None = None
) -> Removed:
    with bank_transaction(access, bank_id) as bank:
        lock_documents(bank, [memory_id])
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), expected)
        check_not_held(bank)
        removed = delete_units(bank, {unit.id})
        follow_deletion(bank, removed, actor=name_of(access))
        note(access, bank_id, "memory.deleted", memory_id)
        return removed


def note(access: BankAccess, bank_id: str, action: str, memory_id: UUID) -> None:
    target = f"memory:{memory_id}"
    access.record(action, target, {"bank_id": bank_id})
