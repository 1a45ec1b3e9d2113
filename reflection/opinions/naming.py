"""Whom an opinion is about: those that it names, or else those of its evidence."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.entities.named import Naming, Resolved
from banks.entities.normalise import identity_key
from banks.entities.record import record_mentions
from banks.entities.store import store_companions, store_mentions
from banks.models import Bank, EntityName, Mention
from banks.retain.types import EntityKind, FoundEntity

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


def read_spoken_of(bank: Bank, fact_ids: Sequence[UUID]) -> list[SpokenOf]:
    """The most spoken of first. Call inside a tenant transaction."""
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=fact_ids)
    kinds: dict[UUID, str] = {}
    times: Counter[UUID] = Counter()
    for entity_id, kind in mentions.order_by("entity_id").values_list("entity_id", "entity__kind"):
        kinds[entity_id] = kind
        times[entity_id] += 1
    names: dict[UUID, list[str]] = {entity_id: [] for entity_id in kinds}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=kinds)
    for entity_id, name in rows.order_by("-uses", "id").values_list("entity_id", "name"):
        names[entity_id].append(name)
    return [
        SpokenOf(entity_id, EntityKind(kinds[entity_id]), tuple(names[entity_id]), count)
        for entity_id, count in times.most_common()
        if names[entity_id]
    ]


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
