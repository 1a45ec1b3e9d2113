"""Reads an entity for a refresh: its present observations and its facts, in a bounded number of rows."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.enums import FACTUAL
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.models.unit import UnitQuerySet
from reflection.observations.scopes import Scope, filter_tagged
from reflection.observations.types import Dossier, Fact, Observation

BEST = ("-proof_count", "-importance", "-mentioned_at", "id")


@dataclass(frozen=True)
class Present:
    """Observations whose facts all stand, and the standing facts of the other observations."""

    known: tuple[Observation, ...] = ()
    unobserved: frozenset[UUID] = frozenset()


def read_dossier(bank: Bank, entity: Entity, scope: Scope, *, most_facts: int) -> Dossier:
    """Call inside a tenant transaction.

    Only facts that no observation covers yet are read. Where that is too much, the best supported and newest are read.
    """
    now = timezone.now()
    facts = find_facts(bank, entity.id, scope, now=now)
    count = facts.count()
    present = read_present(bank, entity.id, scope, now=now)
    wanted = choose_facts(facts, scope, present).order_by(*BEST)
    built = (build_fact(unit, now=now) for unit in wanted[:most_facts])
    in_order = tuple(sorted(built, key=lambda fact: (fact.said_at, fact.id)))
    return Dossier(entity.name, in_order, present.known, count, has_fallen=bool(present.unobserved))


def read_present(bank: Bank, entity_id: UUID, scope: Scope, *, now: datetime) -> Present:
    """An observation words all of its facts. Where one of them ended, was altered, has other tags by now or mentions
    other entities, the observation is left out: it is closed, and its other facts are observed again.
    """
    known = read_known(bank, entity_id, tags_hash=scope.tags_hash)
    sources = {source_id for one in known for source_id in one.source_ids}
    standing = find_facts(bank, entity_id, scope, now=now).filter(id__in=sources)
    if scope.is_altered and scope.unread_since is not None:
        standing = standing.exclude(updated_at__gt=scope.unread_since)
    standing_ids = set(standing.values_list("id", flat=True))
    stands = [one for one in known if standing_ids.issuperset(one.source_ids)]
    covered = {source_id for one in stands for source_id in one.source_ids}
    return Present(tuple(stands), frozenset(sources - covered))


def choose_facts(facts: UnitQuerySet, scope: Scope, present: Present) -> UnitQuerySet:
    """Facts that came since the last refresh, or whose observation does not stand any more.

    After an alteration every fact that no observation rests on: a deletion removes whole observations, so nothing says
    which other facts they rested on.
    """
    if scope.unread_since is None or not present.known:
        return facts
    if scope.is_altered:
        return facts.exclude(id__in={source_id for one in present.known for source_id in one.source_ids})
    return facts.filter(Q(updated_at__gt=scope.unread_since) | Q(id__in=present.unobserved))


def find_facts(bank: Bank, entity_id: UUID, scope: Scope, *, now: datetime) -> UnitQuerySet:
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().exclude(valid_until__lte=now)
    of_scope = units.filter(network__in=FACTUAL, tags_hash=scope.tags_hash, id__in=mentions)
    return filter_tagged(bank, of_scope, scope.tags).defer("embedding", "second_embedding")


def build_fact(unit: MemoryUnit, *, now: datetime) -> Fact:
    is_ahead = unit.occurred_start is None and unit.valid_from is not None and unit.valid_from > now
    begins = unit.valid_from if is_ahead else None
    return Fact(
        unit.id,
        unit.rendered_text,
        unit.mentioned_at,
        unit.occurred_start,
        unit.occurred_end,
        unit.proof_count,
        begins,
    )


def find_observations(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> UnitQuerySet:
    """Under any tags where `tags_hash` is None."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id=entity_id).values("unit_id")
    units = MemoryUnit.objects.of_bank(bank).current().filter(network="observation", id__in=mentions)
    return (units if tags_hash is None else units.filter(tags_hash=tags_hash)).defer("embedding", "second_embedding")


def read_known(bank: Bank, entity_id: UUID, *, tags_hash: bytes | None = None) -> tuple[Observation, ...]:
    units = list(find_observations(bank, entity_id, tags_hash=tags_hash).order_by("id"))
    sources = read_sources(bank, [unit.id for unit in units])
    return tuple(Observation(unit.text, tuple(sources[unit.id]), unit.id) for unit in units)


def read_sources(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The facts that each observation rests on."""
    return read_summarised(bank, unit_ids, "other_unit_id")


def read_episodes(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    """The episodes that each month summary rests on."""
    return read_summarised(bank, unit_ids, "episode_id")


def read_summarised(bank: Bank, unit_ids: Sequence[UUID], column: str) -> dict[UUID, list[UUID]]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, role=UnitSource.Role.SUMMARISES)
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for unit_id, source_id in rows.order_by("id").values_list("unit_id", column):
        if source_id:
            found[unit_id].append(source_id)
    return found
