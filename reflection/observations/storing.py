"""Writing the observations of an entity under some tags: those that still stand stay, others are closed, new ones are
added. What is observed under other tags is left alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from banks.lifecycle.observed import close_observations
from banks.lifecycle.observed_spans import set_spans
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.retain.prepared import Identity, PreparedFact
from banks.retain.storing.units import store_units
from banks.retain.types import ExtractedFact
from banks.words import Network
from providers.embedding.vector import Vector
from reflection.observations.dossiers import find_observations
from reflection.observations.scopes import filter_worn
from reflection.observations.types import Observation


@dataclass(frozen=True)
class Place:
    """Of whom, and under which tags."""

    entity: Entity
    tags_hash: bytes = b""
    tags: tuple[str, ...] = ()


def store_observations(
    bank: Bank, place: Place, told: Sequence[tuple[Observation, Vector]], *, actor: str, now: datetime
) -> None:
    """Call inside a tenant transaction, after `lock_memory`."""
    entity = place.entity
    standing = keep_standing(bank, place, told)
    prepared = [build_fact(bank, place, observation, vector) for observation, vector in standing]
    there = find_observations(bank, entity.id, tags_hash=place.tags_hash)
    present = {unit.identity: unit for unit in map(Present, there)}
    new = [one for one in prepared if one.identity not in present]
    stored = store_units(bank, new, now=now)
    ids = {one.identity: unit.id for one, unit in zip(new, stored, strict=True)}
    ids |= {identity: unit.id for identity, unit in present.items()}
    wanted = {one.identity for one in prepared}
    outdated = [unit.id for identity, unit in present.items() if identity not in wanted]
    newer = [unit.id for unit in stored]
    name_entity(bank, entity, newer)
    said = {ids[one.identity]: observation for one, (observation, _) in zip(prepared, standing, strict=True)}
    name_sources(bank, {unit_id: observation.source_ids for unit_id, observation in said.items()})
    ends = {unit_id: observation.end for unit_id, observation in said.items() if observation.end}
    set_spans(bank, said, ends, now=now)
    close_observations(bank, let_go(bank, entity, outdated), newer=newer, actor=actor, now=now)


class Present:
    """An observation that is there, and what makes it the same as another."""

    def __init__(self, unit: MemoryUnit) -> None:
        self.id = unit.id
        self.identity = Identity(unit.network, bytes(unit.content_hash), bytes(unit.tags_hash))


def keep_standing(
    bank: Bank, place: Place, told: Sequence[tuple[Observation, Vector]]
) -> list[tuple[Observation, Vector]]:
    """Facts may have gone while the observer thought, or have other tags by now. What has words of such a one is not
    said, nor what rests on closed ones alone.
    """
    wanted = {source_id for observation, _ in told for source_id in observation.source_ids}
    there = filter_worn(bank, MemoryUnit.objects.of_bank(bank).filter(id__in=wanted), place.tags)
    deleted = wanted - set(there.values_list("id", flat=True))
    left = set(there.current().values_list("id", flat=True))
    kept = [
        (replace(one, source_ids=tuple(source_id for source_id in one.source_ids if source_id in left)), vector)
        for one, vector in told
        if deleted.isdisjoint(one.source_ids)
    ]
    return [(one, vector) for one, vector in kept if one.source_ids]


def build_fact(bank: Bank, place: Place, observation: Observation, vector: Vector) -> PreparedFact:
    """Said when the newest of its facts was."""
    sources = MemoryUnit.objects.of_bank(bank).filter(id__in=observation.source_ids)
    said_at = sources.order_by("-mentioned_at").values_list("mentioned_at", flat=True)[0]
    return PreparedFact(ExtractedFact(observation.text, Network.OBSERVATION, said_at), vector, (), tags=place.tags)


def let_go(bank: Bank, entity: Entity, unit_ids: Sequence[UUID]) -> list[UUID]:
    """Those that are to be closed. What another entity is observed by as well goes on without this one."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    shared = set(mentions.exclude(entity=entity).values_list("unit_id", flat=True))
    mentions.filter(entity=entity, unit_id__in=shared).delete()
    return [unit_id for unit_id in unit_ids if unit_id not in shared]


def name_entity(bank: Bank, entity: Entity, unit_ids: Sequence[UUID]) -> None:
    Mention.objects.for_tenant(bank.tenant_id).bulk_create(
        [Mention(unit_id=unit_id, entity=entity, name=entity.name) for unit_id in dict.fromkeys(unit_ids)],
        ignore_conflicts=True,
    )


def name_sources(bank: Bank, sources: dict[UUID, tuple[UUID, ...]]) -> None:
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    rows.filter(unit_id__in=sources, role=UnitSource.Role.SUMMARISES).delete()
    rows.bulk_create(
        [
            UnitSource(unit_id=unit_id, role=UnitSource.Role.SUMMARISES, other_unit_id=source_id)
            for unit_id, source_ids in sources.items()
            for source_id in source_ids
        ]
    )
