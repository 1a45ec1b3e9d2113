"""One refresh of one entity: read, observe, embed, write. No transaction is open while a model works."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Entity
from providers.embedding.protocol import Embedder
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.dossiers import read_dossier
from reflection.observations.storing import store_observations
from reflection.observations.types import Dossier, Observation, Observed, Observer

MOST_CALLS = 6  # of one refresh: what a large entity has beyond that is not read, only counted


@dataclass(frozen=True)
class Refreshing:
    """`write` opens the transaction of every write: an operation's is fenced."""

    observer: Observer
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]

    @property
    def most_facts(self) -> int:
        return self.observer.facts_at_once * MOST_CALLS


def refresh_entity(bank: Bank, entity_id: UUID, tools: Refreshing) -> Usage:
    started = timezone.now()
    with tools.write():
        entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
        state = ObservedEntity.objects.of_bank(bank).filter(entity_id=entity_id).first()
        if entity is None or state is None:
            return Usage()
        dossier = read_dossier(bank, entity, seen_until=state.seen_until, most_facts=tools.most_facts)
    observed = observe(dossier, tools.observer)
    batch = tools.embedder.embed_documents([one.text for one in observed.observations])
    told = list(zip(observed.observations, batch.vectors, strict=True))
    with tools.write():
        lock_memory(bank)
        if Entity.objects.of_bank(bank).filter(id=entity_id).exists():
            store_observations(bank, entity, told, actor=tools.observer.name, now=timezone.now())
            settle(bank, state, dossier, started)
    return observed.usage + batch.usage


def observe(dossier: Dossier, observer: Observer) -> Observed:
    """A large entity in several calls, each with what the one before found."""
    known: tuple[Observation, ...] = dossier.known
    usage = Usage()
    for part in split(dossier, observer.facts_at_once):
        observed = observer.observe(replace(part, known=known))
        known, usage = observed.observations, usage + observed.usage
    return Observed(known, usage)


def split(dossier: Dossier, size: int) -> Iterator[Dossier]:
    for start in range(0, max(1, len(dossier.facts)), size):
        yield replace(dossier, facts=dossier.facts[start : start + size])


def settle(bank: Bank, state: ObservedEntity, dossier: Dossier, started: datetime) -> None:
    """Fresh, unless something changed while the observer thought: then it stays due."""
    rows = ObservedEntity.objects.of_bank(bank).filter(id=state.id)
    rows.update(refreshed_at=timezone.now(), seen_until=started, facts=dossier.fact_count)
    rows.filter(changes=state.changes).update(stale_since=None, due_at=None, changes=0)
