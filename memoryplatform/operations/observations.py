"""What a caller does with observations: look at them, and have them made anew."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from banks.errors import EntityNotFound, MemoryNotFound
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.parted import find_parted
from memoryplatform.operations.kinds.consolidate import LONGEST_RETAIN
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.memories.deleting import delete_memories
from memoryplatform.operations.memories.described_units import read_tags
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running.kind_names import CONSOLIDATE, REFRESH_OBSERVATIONS
from memoryplatform.operations.running.submit import submit
from reflection.models import ObservedEntity
from reflection.observations.dossiers import read_episodes, read_sources
from reflection.observations.marking import ask_again, mark_stale
from retrieval.filters.types import TagMatch
from tenants.audit import record
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class ObservationFilter:
    """Every condition must hold."""

    entity_id: UUID | None = None
    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"


@dataclass(frozen=True)
class ShownObservation:
    """`is_stale`: facts of one of its entities changed since, and it will be made anew. `entities` are all that it
    tells of, the one that it was first made for before the others.

    The summary of a month has no entity, and rests on episodes.
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


def find_observations(bank: Bank, wanted: ObservationFilter) -> UnitQuerySet:
    """Call inside a tenant transaction."""
    chosen = MemoryFilter(
        network=Network.OBSERVATION,
        tags=wanted.tags,
        tags_match=wanted.tags_match,
        entity_id=wanted.entity_id,
    )
    return find_units(bank, chosen).defer("embedding")


def show_observations(bank: Bank, units: Sequence[MemoryUnit]) -> list[ShownObservation]:
    """Call inside a tenant transaction."""
    ids = [unit.id for unit in units]
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=ids).select_related("entity")
    entities: defaultdict[UUID, tuple[Entity, ...]] = defaultdict(tuple)
    for row in mentions.defer("entity__embedding").order_by("id"):
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
    """`was_waiting`: somebody asked before, and what waits does this caller's work too."""

    operation: Operation
    was_waiting: bool


@dataclass(frozen=True)
class ScopeCount:
    """How many observations stand under exactly these tags."""

    tags: tuple[str, ...]
    count: int


def count_scopes(bank: Bank) -> list[ScopeCount]:
    """The fullest first. Call inside a tenant transaction."""
    ids = list(find_observations(bank, ObservationFilter()).values_list("id", flat=True))
    tags = read_tags(bank, ids)
    counted = Counter(tuple(sorted(tags[one])) for one in ids)
    scopes = [ScopeCount(scope, count) for scope, count in counted.items()]
    return sorted(scopes, key=lambda one: (-one.count, one.tags))


def consolidate_now(access: BankAccess, bank_id: str) -> Consolidation:
    """All that is stale, without waiting for quiet. There is an operation to ask for also where nothing is."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        now = timezone.now()
        ask_again(bank, None, now=now)
        ObservedEntity.objects.of_bank(bank).stale().update(due_at=now)
        record(access.tenant_id, actor=access.actor, action="observations.refreshed", target=f"bank:{bank_id}")
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


def make_anew(access: BankAccess, bank_id: str, memory_id: UUID) -> int:
    """The observations that rest on a memory go, and those of its entities are made again. Returns how many went."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        if not MemoryUnit.objects.of_bank(bank).filter(id=memory_id).exists():
            raise MemoryNotFound(memory_id)
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(other_unit_id=memory_id, unit__bank=bank)
        found = set(sources.filter(unit__network=Network.OBSERVATION).values_list("unit_id", flat=True))
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id=memory_id)
        entity_ids = list(mentions.values_list("entity_id", flat=True))
    if found:
        delete_memories(access, [(bank.id, one) for one in found])
    with tenant_transaction(access.tenant_id):
        mark_stale(bank, entity_ids, now=timezone.now(), quiet=timedelta(0), is_altered=True)
        for entity_id in entity_ids:
            ask_again(bank, entity_id, now=timezone.now())
        ask_for_refresh(bank)
    return len(found)


def refresh_now(access: BankAccess, bank_id: str, *, entity_id: UUID | None) -> Operation | None:
    """Of one entity, or of all that are stale, without waiting for quiet. None where nothing is stale."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        if entity_id is not None:
            if not Entity.objects.of_bank(bank).filter(id=entity_id).exists():
                raise EntityNotFound(entity_id)
            mark_stale(bank, [entity_id], now=timezone.now(), quiet=timedelta(0))
        else:
            mark_stale(bank, find_unmarked(bank), now=timezone.now(), quiet=timedelta(0))
        ask_again(bank, entity_id, now=timezone.now())
        due = ObservedEntity.objects.of_bank(bank).stale()
        if not due.exists():
            return None
        due.update(due_at=timezone.now())
        detail = {"entity_id": str(entity_id)} if entity_id else {}
        record(
            access.tenant_id,
            actor=access.actor,
            action="observations.refreshed",
            target=f"bank:{bank_id}",
            detail=detail,
        )
        return submit(access.tenant_id, REFRESH_OBSERVATIONS, payload={}, bank=bank)


def find_unmarked(bank: Bank) -> set[UUID]:
    """Entities of what was retained a moment ago: a consolidation that waits or works has yet to mark them."""
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(
        bank=bank, kind=CONSOLIDATE, status__in=(Operation.Status.PENDING, Operation.Status.PROCESSING)
    )
    payloads = waiting.values_list("payload", flat=True)
    spoken_of = {UUID(one) for payload in payloads for one in payload.get("entity_ids", ())}
    return spoken_of | find_parted(bank, spoken_of, since=timezone.now() - LONGEST_RETAIN) if spoken_of else spoken_of
