"""Superseding a memory by hand: a person writes the text that is true now, and the former memory ends.

The evidence of the new memory is a message of that person, in a thread of its own. A preview is the act itself in a
transaction that is rolled back, so that it can't differ from the act.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from banks.entities.mentions import read_mentions
from banks.enums import FACTUAL, Kind
from banks.errors import MemoryExists, MemoryInvalid, MemoryState
from banks.facts import PreparedFact
from banks.lifecycle import editing
from banks.lifecycle.closing import Closing, cancel_scheduled_end, close_units, expire_overdue
from banks.lifecycle.closing_by_hand import Invalidation
from banks.lifecycle.decisions import AddEverything
from banks.lifecycle.planning import plan_to_add
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, Message, Relationship, RelationshipSource, UnitSource
from banks.models.bank import VECTOR_COLUMNS
from banks.retain.post_retain import PostRetain
from banks.retain.storing import store_facts
from banks.types import Source
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.embedding_model import fill_after_edit
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.single import (
    ShownMemory,
    get_unit,
    invalidate_memory,
    read_edited,
    restore_memory,
    show,
)
from memoryplatform.operations.protection import screen_edit
from memoryplatform.operations.running.kind_names import CONSOLIDATE
from memoryplatform.operations.running.submit import submit
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

BY_HAND = "by-hand-"  # threads of texts that a person wrote begin so


@dataclass(frozen=True)
class Replacement:
    """`since` is when the text became or becomes true. None: now."""

    text: str
    since: datetime | None = None


@dataclass(frozen=True)
class Supersession:
    """The new memory, the memories that end (with their new end), and the texts of relationships that end."""

    new: ShownMemory
    is_new: bool  # False: a memory with these words was there
    ended: tuple[MemoryUnit, ...]
    relationships: tuple[str, ...]


def supersede_memory(
    access: BankAccess,
    bank_id: str,
    memory_id: UUID,
    replacement: Replacement,
    *,
    expected: frozenset[str] | None = None,
    is_preview: bool = False,
) -> Supersession:
    """The new text is read and embedded between two transactions, so a concurrent edit is a conflict."""
    now = timezone.now()
    since = replacement.since or now
    with bank_transaction(access, bank_id) as bank:
        unit = get_unit(bank, memory_id)
        state = editing.read_state(bank, unit)
        editing.check_version(unit, state, expected)
        known = read_mentions(bank, {unit.id})
    check_can_end(unit, since)
    edit, _, flags = screen_edit(bank, editing.UnitEdit(text=replacement.text), "")
    undated = replace(state, occurred_start=None, occurred_end=None, mentioned_at=now)
    _, read = read_edited(access, bank, undated, edit, known)
    if read is None or edit.text is None:
        raise MemoryExists(memory_id)
    prepared = date_fact(read, state, since)
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        unit = get_unit(bank, memory_id)
        editing.check_version(unit, editing.read_state(bank, unit), frozenset({state.version}))
        source = archive_text(bank, edit.text, now=now, author=name_of(access))
        done = replace_unit(access, bank, unit, replace(prepared, sources=(source,)), since=since, flags=flags)
        if is_preview:
            transaction.set_rollback(True)
    if not is_preview:
        fill_after_edit(access, bank, done.new.described.unit.id)
    return done


def undo_replacement(access: BankAccess, bank_id: str, memory_id: UUID, *, reason: str = "") -> ShownMemory:
    """Ends the memory that replaced this one, as never true, and restores all that it replaced, in one transaction."""
    with bank_transaction(access, bank_id) as bank:
        lock_memory(bank)
        successor_id = get_unit(bank, memory_id).superseded_by_id
        if successor_id is None:
            raise MemoryState("No memory has replaced this one.")
        replaced = MemoryUnit.objects.of_bank(bank).filter(superseded_by=successor_id, network__in=FACTUAL)
        former_ids = list(replaced.order_by("id").values_list("id", flat=True))
        if get_unit(bank, successor_id).expired_at is None:
            undone = Invalidation(MemoryUnit.CloseReason.CORRECTION, explanation=reason, actor=name_of(access))
            invalidate_memory(access, bank_id, successor_id, undone)
        for former_id in former_ids:
            former = get_unit(bank, former_id)
            if former.superseded_by_id is not None:  # else its scheduled end was cancelled with the successor
                restore_memory(access, bank_id, former_id, reason=reason)
        return show(bank, get_unit(bank, memory_id))


def check_can_end(unit: MemoryUnit, since: datetime) -> None:
    if unit.expired_at is not None:
        raise MemoryState("The memory has ended already; restore it first.")
    if unit.network not in FACTUAL:
        raise MemoryState("Only facts are replaced. Opinions are reviewed, and observations follow their facts.")
    if unit.kind == Kind.EVENT:
        raise MemoryState("An event stays true. If it was described wrongly, edit it.")
    if unit.valid_from is not None and since < unit.valid_from:
        raise MemoryInvalid("The new memory can't begin before the one that it replaces.")


def date_fact(read: PreparedFact, state: editing.UnitState, since: datetime) -> PreparedFact:
    """The fact and its relationships begin together. The tags are those of the former memory.

    Its context and metadata described the conversation that the former memory came from, and stay with it.
    """
    relationships = tuple(replace(one, valid_from=one.valid_from or since) for one in read.fact.relationships)
    fact = replace(read.fact, valid_from=since, importance=state.importance, relationships=relationships)
    return replace(read, fact=fact, tags=state.tags)


def archive_text(bank: Bank, text: str, *, now: datetime, author: str) -> Source:
    message_id = uuid7()
    Message.objects.for_tenant(bank.tenant_id).create(
        id=message_id,
        bank=bank,
        thread=f"{BY_HAND}{message_id}",
        role="user",
        speaker=author,
        content=text,
        said_at=now,
        extracted_at=now,
    )
    return Source(0, len(text), message_id=message_id)


def replace_unit(
    access: BankAccess, bank: Bank, unit: MemoryUnit, fact: PreparedFact, *, since: datetime, flags: Sequence[str]
) -> Supersession:
    """Call inside a tenant transaction, after `lock_memory`, with a fresh row."""
    now, actor = timezone.now(), name_of(access)
    expire_overdue(bank, now=now, actor=AddEverything.name)
    if unit.superseded_by_id is not None:
        cancel_scheduled_end(bank, unit, actor=actor)
    before = read_mentions(bank, {unit.id})
    stated = find_stated(bank, unit.id)
    (stored,) = store_facts(bank, [fact], speakers=frozenset(), plan=replace(plan_to_add([fact]), judge=actor))
    if stored.id == unit.id:
        raise MemoryExists(unit.id)
    # Known until the new one is: a moment between the two would know neither.
    closed = close_units(bank, [Closing(unit.id, stored.id, since)], now=timezone.now(), actor=actor)
    if stored.is_new and flags:
        MemoryUnit.objects.of_bank(bank).filter(id=stored.id).update(flags=list(flags))
    post = PostRetain(
        unit_ids=(stored.id,) if stored.is_new else (),
        proven_ids=() if stored.is_new else (stored.id,),
        closed_ids=tuple(dict.fromkeys((*stored.closed, *closed.unit_ids))),
        entity_ids=tuple(dict.fromkeys((*stored.entity_ids, *(one.entity_id for one in before)))),
    )
    submit(bank.tenant_id, CONSOLIDATE, payload=post.write(), bank=bank, api_key_prefix=access.actor.api_key_prefix)
    detail = {"bank_id": bank.bank_id, "superseded_by": str(stored.id)}
    access.record("memory.superseded", f"memory:{unit.id}", detail)
    return Supersession(
        show(bank, get_unit(bank, stored.id)),
        stored.is_new,
        find_ended(bank, unit, stored.id, since=now),
        find_ended_relationships(bank, stated, stored.id, since=now),
    )


def find_stated(bank: Bank, unit_id: UUID) -> list[UUID]:
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(unit_id=unit_id)
    return list(sources.values_list("relationship_id", flat=True))


def find_ended(bank: Bank, unit: MemoryUnit, successor_id: UUID, *, since: datetime) -> tuple[MemoryUnit, ...]:
    """Units that the successor ended now or will end, the replaced one first, and observations that rested on it."""
    observed = UnitSource.objects.for_tenant(bank.tenant_id).filter(other_unit=unit).values("unit_id")
    superseded = Q(superseded_by=successor_id) & (Q(expired_at__gte=since) | Q(expired_at=None))
    rows = MemoryUnit.objects.of_bank(bank).filter(superseded | Q(id__in=observed, expired_at__gte=since))
    return tuple(sorted(rows.defer(*VECTOR_COLUMNS), key=lambda one: (one.id != unit.id, one.id)))


def find_ended_relationships(
    bank: Bank, stated: Sequence[UUID], successor_id: UUID, *, since: datetime
) -> tuple[str, ...]:
    newer = find_stated(bank, successor_id)
    rows = Relationship.objects.of_bank(bank).filter(Q(id__in=stated) | Q(superseded_by__in=newer))
    ended = rows.filter(Q(expired_at__gte=since) | Q(expired_at=None, superseded_by__in=newer))
    return tuple(ended.order_by("id").values_list("text", flat=True))
