"""Writes the observations of an entity under some tags: reworded ones keep their row, outdated ones are closed."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from banks.enums import Network
from banks.errors import MemoryExists
from banks.facts import Identity, PreparedFact
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.lifecycle.observations import close_observations, follow_sources
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.retain.storing import store_units
from banks.types import ExtractedFact
from providers.embedding.vector import Vector
from reflection.observations.dossiers import find_observations
from reflection.observations.scopes import Scope, filter_tagged
from reflection.observations.types import Observation
from tenants.webhook_outbox import Event, announce

REWORDED = "reworded by a refresh"

Embedded = tuple[Observation, Vector]


def store_observations(
    bank: Bank, entity: Entity, scope: Scope, written: Sequence[Embedded], *, actor: str, now: datetime
) -> None:
    """Observations under other tags are left alone. Announces the refresh to webhooks.

    Call inside a tenant transaction, after `lock_memory`.
    """
    standing = keep_standing(bank, scope, written)
    prepared = [prepare(bank, scope, observation, vector) for observation, vector in standing]
    reword(bank, entity, scope, list(zip(standing, prepared, strict=True)), actor=actor)
    present = {identify(unit): unit.id for unit in find_observations(bank, entity.id, tags_hash=scope.tags_hash)}
    new = [one for one in prepared if one.identity not in present]
    stored = store_units(bank, new, now=now)
    ids = {one.identity: unit.id for one, unit in zip(new, stored, strict=True)} | present
    wanted = {one.identity for one in prepared}
    outdated = [unit_id for identity, unit_id in present.items() if identity not in wanted]
    newer = [unit.id for unit in stored]
    add_mentions(bank, entity, newer)
    sources = {
        ids[one.identity]: observation.source_ids for one, (observation, _) in zip(prepared, standing, strict=True)
    }
    replace_sources(bank, sources)
    follow_sources(bank, sources, now=now)
    close_observations(bank, release_shared(bank, entity, outdated), newer=newer, actor=actor, now=now)
    refreshed = {"entity_id": str(entity.id), "observation_ids": [str(unit_id) for unit_id in sources]}
    announce(bank.tenant_id, Event("observation.refreshed", bank.bank_id, refreshed))


def identify(unit: MemoryUnit) -> Identity:
    return Identity(unit.network, bytes(unit.content_hash), bytes(unit.tags_hash))


def keep_standing(bank: Bank, scope: Scope, written: Sequence[Embedded]) -> list[Embedded]:
    """Facts may have been deleted or have got other tags while the model worked. Observations that word such a fact
    are dropped, and so are those whose facts are all closed.
    """
    wanted = {source_id for observation, _ in written for source_id in observation.source_ids}
    there = filter_tagged(bank, MemoryUnit.objects.of_bank(bank).filter(id__in=wanted), scope.tags)
    deleted = wanted - set(there.values_list("id", flat=True))
    left = set(there.current().values_list("id", flat=True))
    kept = [
        (replace(one, source_ids=tuple(source_id for source_id in one.source_ids if source_id in left)), vector)
        for one, vector in written
        if deleted.isdisjoint(one.source_ids)
    ]
    return [(one, vector) for one, vector in kept if one.source_ids]


def prepare(bank: Bank, scope: Scope, observation: Observation, vector: Vector) -> PreparedFact:
    """An observation was said when the newest of its facts was said."""
    sources = MemoryUnit.objects.of_bank(bank).filter(id__in=observation.source_ids)
    said_at = sources.order_by("-mentioned_at").values_list("mentioned_at", flat=True)[0]
    return PreparedFact(ExtractedFact(observation.text, Network.OBSERVATION, said_at), vector, (), tags=scope.tags)


def reword(
    bank: Bank, entity: Entity, scope: Scope, written: Iterable[tuple[Embedded, PreparedFact]], *, actor: str
) -> None:
    """Changes the text of kept observations in place. An observation that another entity shares, or whose new text
    is a memory already, is left alone: its new text is stored as any other.
    """
    present = {unit.id: unit for unit in find_observations(bank, entity.id, tags_hash=scope.tags_hash)}
    shared = find_shared(bank, entity, list(present))
    for (observation, vector), prepared in written:
        unit = present.get(observation.unit_id) if observation.unit_id else None
        if unit is None or unit.id in shared or unit.text == observation.text:
            continue
        edit = UnitEdit(text=observation.text, mentioned_at=prepared.fact.mentioned_at)
        with suppress(MemoryExists):
            edit_unit(bank, unit, edit, vector=vector, actor=actor, reason=REWORDED)


def find_shared(bank: Bank, entity: Entity, unit_ids: Sequence[UUID]) -> set[UUID]:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids).exclude(entity=entity)
    return set(mentions.values_list("unit_id", flat=True))


def release_shared(bank: Bank, entity: Entity, unit_ids: Sequence[UUID]) -> list[UUID]:
    """The observations to close. One that another entity shares only loses its mention of this entity."""
    shared = find_shared(bank, entity, unit_ids)
    Mention.objects.for_tenant(bank.tenant_id).filter(entity=entity, unit_id__in=shared).delete()
    return [unit_id for unit_id in unit_ids if unit_id not in shared]


def add_mentions(bank: Bank, entity: Entity, unit_ids: Sequence[UUID]) -> None:
    Mention.objects.for_tenant(bank.tenant_id).bulk_create(
        [Mention(unit_id=unit_id, entity=entity, name=entity.name) for unit_id in dict.fromkeys(unit_ids)],
        ignore_conflicts=True,
    )


def replace_sources(bank: Bank, sources: dict[UUID, tuple[UUID, ...]]) -> None:
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    rows.filter(unit_id__in=sources, role=UnitSource.Role.SUMMARISES).delete()
    rows.bulk_create(
        [
            UnitSource(unit_id=unit_id, role=UnitSource.Role.SUMMARISES, other_unit_id=source_id)
            for unit_id, source_ids in sources.items()
            for source_id in source_ids
        ]
    )
