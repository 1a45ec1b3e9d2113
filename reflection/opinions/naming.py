"""Those whom opinions and their evidence speak of, and the names that they have."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.entities.named import Naming, Resolved
from banks.entities.names.normalise import identity_key
from banks.entities.record import record_mentions
from banks.entities.store import store_companions, store_mentions
from banks.models import Bank, EntityName, Mention
from banks.retain.types import FoundEntity
from banks.words import EntityKind

# Scripts that put no space, or an ending, behind a name: of them the letters are enough.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class SpokenOf:
    """An entity with every name that it has."""

    entity_id: UUID
    kind: EntityKind
    names: tuple[str, ...]
    times: int

    def is_named_in(self, text: str) -> bool:
        return is_named_in(text, self.names)

    def is_called(self, name: str) -> bool:
        return identity_key(name) in map(identity_key, self.names)

    def may_be(self, name: str) -> bool:
        """Whether it has that name, or one that begins so."""
        return self.is_called(name) or name in list_firsts(self.names)


def is_named_in(text: str, names: Iterable[str]) -> bool:
    """By a name of it, or by the first word of one: Maria is Maria Rossi, unless she is Maria Bianchi."""
    every = tuple(names)
    if any(has_name(text, name) for name in every):
        return True
    firsts = list_firsts(every)
    return any(re.search(rf"(?<!\w){re.escape(first)}(?!\w)(?! [A-Z])", text) for first in firsts)


def has_name(text: str, name: str) -> bool:
    if UNSPACED.search(name):
        return name in text
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


def list_firsts(names: Iterable[str]) -> set[str]:
    return {name.split()[0] for name in names if " " in name and name[0].isupper()} - {"The"}


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


@dataclass(frozen=True)
class About:
    """Whom a stored opinion is about: those who are known, and names that are looked up, for none of them has them."""

    unit_id: UUID
    chosen: Sequence[SpokenOf]
    called: Sequence[str]


def record_spoken_of(bank: Bank, opinions: Sequence[About], *, now: datetime) -> None:
    """Call inside a tenant transaction, after `lock_memory`."""
    resolved = [
        Resolved(Naming(about.unit_id, (), now), one.names[0], one.kind, one.entity_id)
        for about in opinions
        for one in about.chosen
    ]
    store_mentions(bank, resolved)
    store_companions(bank, resolved)
    strange = [Naming(about.unit_id, guess_entities(about.called), now) for about in opinions if about.called]
    if strange:
        record_mentions(bank, strange)


def guess_entities(names: Sequence[str]) -> tuple[FoundEntity, ...]:
    return tuple(FoundEntity(name, EntityKind.OTHER, is_guess=True) for name in names)
