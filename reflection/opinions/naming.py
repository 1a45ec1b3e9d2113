"""Whom an opinion is about: those that it names, or else those of its evidence."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.entities.named import Naming, Resolved
from banks.entities.normalise import identity_key
from banks.entities.record import record_mentions
from banks.entities.store import store_companions, store_mentions
from banks.models import Bank, EntityName, Mention
from banks.retain.types import FoundEntity
from banks.words import EntityKind

MOST_OF_EVIDENCE = 3  # entities that an opinion without a name of its own takes from its evidence


@dataclass(frozen=True)
class SpokenOf:
    """An entity of the evidence, with every name that it has."""

    entity_id: UUID
    kind: EntityKind
    names: tuple[str, ...]
    times: int

    def is_in(self, text: str) -> bool:
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in self.names)

    def is_called(self, name: str) -> bool:
        return identity_key(name) in map(identity_key, self.names)


def read_spoken_of(bank: Bank, groups: Sequence[Sequence[UUID]]) -> list[list[SpokenOf]]:
    """For each group of facts, the most spoken of first. Call inside a tenant transaction."""
    fact_ids = {fact_id for group in groups for fact_id in group}
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=fact_ids)
    kinds: dict[UUID, EntityKind] = {}
    told: dict[UUID, list[UUID]] = {}
    for fact_id, entity_id, kind in mentions.values_list("unit_id", "entity_id", "entity__kind"):
        kinds[entity_id] = EntityKind(kind)
        told.setdefault(fact_id, []).append(entity_id)
    names = read_names(bank, kinds)
    return [
        [
            SpokenOf(entity_id, kinds[entity_id], names[entity_id], count)
            for entity_id, count in count_spoken_of(told.get(fact_id, ()) for fact_id in group)
            if entity_id in names
        ]
        for group in groups
    ]


def read_names(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    """The most used first."""
    names: dict[UUID, tuple[str, ...]] = {}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    for entity_id, name in rows.order_by("-uses", "id").values_list("entity_id", "name"):
        names[entity_id] = (*names.get(entity_id, ()), name)
    return names


def count_spoken_of(told: Iterable[Sequence[UUID]]) -> list[tuple[UUID, int]]:
    """The most spoken of first; of two alike the one that the bank knew first."""
    times = Counter(entity_id for entity_ids in told for entity_id in entity_ids)
    return sorted(times.items(), key=lambda counted: (-counted[1], counted[0]))


def choose_spoken_of(text: str, given: Sequence[str], known: Sequence[SpokenOf]) -> list[SpokenOf]:
    named = [one for one in known if one.is_in(text) or any(map(one.is_called, given))]
    return named if named or given else list(known[:MOST_OF_EVIDENCE])


@dataclass(frozen=True)
class About:
    """Whom a stored opinion is about: `chosen` of its evidence, and the names that came with it."""

    unit_id: UUID
    chosen: Sequence[SpokenOf]
    given: Sequence[str]

    def list_strange(self) -> list[str]:
        """Names that the evidence does not have."""
        return [name for name in self.given if not any(one.is_called(name) for one in self.chosen)]


def record_spoken_of(bank: Bank, opinions: Sequence[About], *, now: datetime) -> None:
    """Call inside a tenant transaction, after `lock_memory`. Names that the evidence does not have are looked up."""
    resolved = [
        Resolved(Naming(about.unit_id, (), now), one.names[0], one.kind, one.entity_id)
        for about in opinions
        for one in about.chosen
    ]
    store_mentions(bank, resolved)
    store_companions(bank, resolved)
    strange = [(about.unit_id, names) for about in opinions if (names := about.list_strange())]
    if strange:
        record_mentions(bank, [Naming(unit_id, guess_entities(names), now) for unit_id, names in strange])


def guess_entities(names: Sequence[str]) -> tuple[FoundEntity, ...]:
    return tuple(FoundEntity(name, EntityKind.OTHER, is_guess=True) for name in names)
