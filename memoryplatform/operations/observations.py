"""Observations of a bank: list, count, refresh."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from banks.enums import Network
from banks.errors import EntityNotFound, MemoryNotFound
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.entities import find_former_partners
from memoryplatform.operations.kinds.consolidate import LONGEST_RETAIN
from memoryplatform.operations.kinds.delete_memories import delete_memories
from memoryplatform.operations.memories.described_units import read_tags
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.observation_refreshes import mark_and_refresh
from memoryplatform.operations.running.kind_names import CONSOLIDATE, REFRESH_OBSERVATIONS
from memoryplatform.operations.running.submit import submit
from providers.llm.protocol import Task
from reflection.models import ObservedEntity
from reflection.observations.dossiers import read_episodes, read_sources
from reflection.observations.marking_stale import ask_again, mark_stale
from retrieval.filters.types import TagMatch
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class ShownObservation:
    """`is_stale`: facts of one of its entities changed, and a refresh will follow. `entities` are all that it is
    about; it was written for the first one.

    A month summary has no entity, and rests on episodes.
    """

    unit: MemoryUnit
    entities: tuple[Entity, ...]
    is_stale: bool
    source_ids: tuple[UUID, ...]
    episode_ids: tuple[UUID, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def entity(self) -> Entity | None:
        return next(iter(self.entities), None)


def find_observations(
    bank: Bank, *, entity_id: UUID | None = None, tags: tuple[str, ...] = (), tags_match: TagMatch = "any"
) -> UnitQuerySet:
    """All conditions must hold."""
    wanted = MemoryFilter(network=Network.OBSERVATION, tags=tags, tags_match=tags_match, entity_id=entity_id)
    return find_units(bank, wanted).defer("embedding", "second_embedding")


def show_observations(bank: Bank, units: Sequence[MemoryUnit]) -> list[ShownObservation]:
    ids = [unit.id for unit in units]
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).select_related("entity")
    entities: defaultdict[UUID, tuple[Entity, ...]] = defaultdict(tuple)
    for row in mentions.defer("entity__embedding", "entity__second_embedding").order_by("id"):
        entities[row.unit_id] += (row.entity,)
    stale = set(ObservedEntity.objects.of_bank(bank).stale().values_list("entity_id", flat=True))
    sources, episodes, tags = read_sources(bank, ids), read_episodes(bank, ids), read_tags(bank, ids)
    shown = []
    for unit in units:
        named = entities[unit.id]
        is_stale = any(entity.id in stale for entity in named)
        rests_on = tuple(sources[unit.id]), tuple(episodes[unit.id])
        shown.append(ShownObservation(unit, named, is_stale, *rests_on, tuple(tags[unit.id])))
    return shown


@dataclass(frozen=True)
class Consolidation:
    """`was_waiting`: the operation was submitted by an earlier request, and serves this one too."""

    operation: Operation
    was_waiting: bool


@dataclass(frozen=True)
class ScopeCount:
    """The number of observations under exactly these tags."""

    tags: tuple[str, ...]
    count: int


def count_scopes(bank: Bank) -> list[ScopeCount]:
    """The largest scope first."""
    ids = list(find_observations(bank).values_list("id", flat=True))
    tags = read_tags(bank, ids)
    counted = Counter(tuple(sorted(tags[one])) for one in ids)
    scopes = [ScopeCount(scope, count) for scope, count in counted.items()]
    return sorted(scopes, key=lambda one: (-one.count, one.tags))


def consolidate_now(access: BankAccess, bank_id: str) -> Consolidation:
    """Refreshes all stale entities at once, without a pause of writes. Submits an operation even if none is stale."""
    with bank_transaction(access, bank_id) as bank:
        now = timezone.now()
        ask_again(bank, None, now=now)
        ObservedEntity.objects.of_bank(bank).stale().update(due_at=now)
        access.record("observations.refreshed", f"bank:{bank_id}")
        pending = Operation.objects.for_tenant(bank.tenant_id).filter(
            kind=REFRESH_OBSERVATIONS, bank=bank, status="pending"
        )
        waiting = pending.filter(next_attempt_at=None).order_by("id").first()
        if waiting is None:
            return Consolidation(
                submit(access.tenant_id, REFRESH_OBSERVATIONS, payload={}, bank=bank), was_waiting=False
            )
        Dispatch.objects.filter(operation_id=waiting.id, due_at__gt=now).update(due_at=now)
        return Consolidation(waiting, was_waiting=True)


def remake_observations(access: BankAccess, bank_id: str, memory_id: UUID) -> int:
    """Deletes the observations that rest on a memory, and refreshes its entities. Returns how many it deleted."""
    with bank_transaction(access, bank_id) as bank:
        if not MemoryUnit.objects.of_bank(bank).filter(id=memory_id).exists():
            raise MemoryNotFound(memory_id)
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(other_unit_id=memory_id, unit__bank=bank)
        found = set(sources.filter(unit__network=Network.OBSERVATION).values_list("unit_id", flat=True))
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=memory_id)
        entity_ids = list(mentions.values_list("entity_id", flat=True))
    if found:
        delete_memories(access, [(bank.id, one) for one in found])
    with tenant_transaction(access.tenant_id):
        for entity_id in entity_ids:
            ask_again(bank, entity_id, now=timezone.now())
        mark_and_refresh(bank, entity_ids, is_altered=True)
    return len(found)


def refresh_now(access: BankAccess, bank_id: str, *, entity_id: UUID | None) -> Operation | None:
    """Refreshes one entity, or all stale ones, without waiting until writes pause.

    None where nothing is stale, or where no language model is configured.
    """
    with bank_transaction(access, bank_id) as bank:
        if entity_id is not None and not Entity.objects.of_bank(bank).filter(id=entity_id).exists():
            raise EntityNotFound(entity_id)
        if find_llm(access.tenant_id, Task.OBSERVE) is None:
            return None
        wanted = find_unmarked(bank) if entity_id is None else {entity_id}
        mark_stale(bank, wanted, now=timezone.now(), quiet=timedelta(0))
        ask_again(bank, entity_id, now=timezone.now())
        due = ObservedEntity.objects.of_bank(bank).stale()
        if not due.exists():
            return None
        due.update(due_at=timezone.now())
        detail = {"entity_id": str(entity_id)} if entity_id else {}
        access.record("observations.refreshed", f"bank:{bank_id}", detail)
        return submit(access.tenant_id, REFRESH_OBSERVATIONS, payload={}, bank=bank)


def find_unmarked(bank: Bank) -> set[UUID]:
    """Entities of recent retains that a waiting or running consolidation has yet to mark."""
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(
        bank=bank, kind=CONSOLIDATE, status__in=(Operation.Status.PENDING, Operation.Status.PROCESSING)
    )
    payloads = waiting.values_list("payload", flat=True)
    mentioned = {UUID(one) for payload in payloads for one in payload.get("entity_ids", ())}
    return (
        mentioned | find_former_partners(bank, mentioned, since=timezone.now() - LONGEST_RETAIN)
        if mentioned
        else mentioned
    )
