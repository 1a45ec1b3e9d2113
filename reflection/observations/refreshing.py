"""One refresh of one entity: read, observe, embed, write. No transaction is open while a model works."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Entity
from providers.embedding.protocol import Embedder
from providers.llm.errors import LLMError, LLMRefused, MalformedAnswer, concerns_content
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.dossiers import Seen, read_dossier
from reflection.observations.putting_off import put_off
from reflection.observations.storing import store_observations
from reflection.observations.types import Dossier, Observation, Observer

logger = logging.getLogger(__name__)

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


@dataclass(frozen=True)
class Refreshed:
    """`is_put_off`: the observer refused, or could not be understood. What was observed before stands, as stale."""

    usage: Usage = field(default_factory=Usage)
    is_put_off: bool = False


def refresh_entity(bank: Bank, entity_id: UUID, tools: Refreshing) -> Refreshed:
    started = timezone.now()
    with tools.write():
        entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
        state = ObservedEntity.objects.of_bank(bank).filter(entity_id=entity_id).first()
        if entity is None or state is None:
            return Refreshed()
        seen = Seen(state.seen_until, is_altered=state.altered_at is not None)
        dossier = read_dossier(bank, entity, seen=seen, most_facts=tools.most_facts)
    observed = observe(dossier, tools.observer)
    if observed.failure is not None:
        logger.warning("Observations of entity %s are put off: %s", entity_id, observed.failure)
        with tools.write():
            put_off(bank, state, now=timezone.now())
        return Refreshed(observed.usage, is_put_off=True)
    batch = tools.embedder.embed_documents([one.text for one in observed.observations])
    told = list(zip(observed.observations, batch.vectors, strict=True))
    with tools.write():
        lock_memory(bank)
        if Entity.objects.of_bank(bank).filter(id=entity_id).exists():
            store_observations(bank, entity, told, actor=tools.observer.name, now=timezone.now())
            settle(bank, state, dossier, started)
    return Refreshed(observed.usage + batch.usage)


@dataclass(frozen=True)
class Outcome:
    """What an observer made of a dossier, or the failure that its content is the cause of."""

    observations: tuple[Observation, ...]
    usage: Usage
    failure: LLMError | None = None


def observe(dossier: Dossier, observer: Observer) -> Outcome:
    """A large entity in several calls, each with what the one before found."""
    known: tuple[Observation, ...] = dossier.known
    usage = Usage()
    for part in split(dossier, observer.facts_at_once):
        try:
            observed = observer.observe(replace(part, known=known))
        except (LLMRefused, MalformedAnswer) as failure:
            if not concerns_content(failure):
                raise
            return Outcome((), usage + read_usage(failure), failure)
        known, usage = observed.observations, usage + observed.usage
    return Outcome(known, usage)


def read_usage(failure: LLMRefused | MalformedAnswer) -> Usage:
    return failure.usage if isinstance(failure, MalformedAnswer) else Usage()


def split(dossier: Dossier, size: int) -> Iterator[Dossier]:
    for start in range(0, max(1, len(dossier.facts)), size):
        yield replace(dossier, facts=dossier.facts[start : start + size])


def settle(bank: Bank, state: ObservedEntity, dossier: Dossier, started: datetime) -> None:
    """Fresh, unless something changed while the observer thought: then it stays due."""
    rows = ObservedEntity.objects.of_bank(bank).filter(id=state.id)
    rows.update(refreshed_at=timezone.now(), seen_until=started, facts=dossier.fact_count, refused_since=None)
    rows.filter(changes=state.changes).update(stale_since=None, due_at=None, changes=0, altered_at=None)
