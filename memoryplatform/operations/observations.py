"""What a caller does with observations: look at them, and have them made anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from banks.errors import EntityNotFound
from banks.models import Bank, Entity, MemoryUnit, Mention
from banks.models.unit import UnitQuerySet
from banks.words import Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.described_units import read_tags
from memoryplatform.operations.kinds.refresh_observations import NAME
from memoryplatform.operations.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.models import Operation
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
    """`is_stale`: facts of its entity changed since, and it will be made anew.

    The summary of a month has no entity, and rests on episodes.
    """

    unit: MemoryUnit
    entity: Entity | None
    is_stale: bool
    source_ids: tuple[UUID, ...]
    episode_ids: tuple[UUID, ...] = ()
    tags: tuple[str, ...] = ()


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
    entities = {row.unit_id: row.entity for row in mentions.defer("entity__embedding").order_by("-id")}
    stale = set(ObservedEntity.objects.of_bank(bank).stale().values_list("entity_id", flat=True))
    sources, episodes, tags = read_sources(bank, ids), read_episodes(bank, ids), read_tags(bank, ids)
    shown = []
    for unit in units:
        entity = entities.get(unit.id)
        is_stale = entity is not None and entity.id in stale
        rests_on = tuple(sources[unit.id]), tuple(episodes[unit.id])
        shown.append(ShownObservation(unit, entity, is_stale, *rests_on, tuple(tags[unit.id])))
    return shown


def refresh_now(access: BankAccess, bank_id: str, *, entity_id: UUID | None) -> Operation | None:
    """Of one entity, or of all that are stale, without waiting for quiet. None where nothing is stale."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        if entity_id is not None:
            if not Entity.objects.of_bank(bank).filter(id=entity_id).exists():
                raise EntityNotFound(entity_id)
            mark_stale(bank, [entity_id], now=timezone.now(), quiet=timedelta(0))
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
        return submit(access.tenant_id, NAME, payload={}, bank=bank)
