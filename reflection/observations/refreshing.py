"""One refresh of one entity, scope by scope: read, observe, embed, write. No transaction is open meanwhile."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Min
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Entity
from providers.embedding.protocol import Embedder
from providers.llm.errors import LLMError, LLMRefused, MalformedAnswer, concerns_content
from providers.usage import Usage
from reflection.models import ObservedEntity, ObservedScope
from reflection.observations.dossiers import read_dossier
from reflection.observations.putting_off import put_off
from reflection.observations.scopes import MOST_AT_ONCE, Scope, find_touched, forget_scope, keep_scope, read_tags
from reflection.observations.storing import Place, store_observations
from reflection.observations.told import Told
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
    """`is_put_off`: the observer refused, or could not be understood. What was observed before stands, as stale.

    `is_unfinished`: more was to be observed than one refresh takes. The entity is still due.
    """

    usage: Usage = field(default_factory=Usage)
    is_put_off: bool = False
    is_unfinished: bool = False

    def __add__(self, other: "Refreshed") -> "Refreshed":
        return Refreshed(
            self.usage + other.usage,
            self.is_put_off or other.is_put_off,
            self.is_unfinished or other.is_unfinished,
        )


def refresh_entity(bank: Bank, entity_id: UUID, tools: Refreshing) -> Refreshed:
    """What was written before a crash is not observed again: each scope keeps what it has seen by itself."""
    with tools.write():
        entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
        state = ObservedEntity.objects.of_bank(bank).filter(entity_id=entity_id).first()
        if entity is None or state is None:
            return Refreshed()
        touched = find_touched(bank, state, now=timezone.now(), most=MOST_AT_ONCE + 1)
    refreshed = Refreshed(is_unfinished=len(touched) > MOST_AT_ONCE)
    for scope in touched[:MOST_AT_ONCE]:
        refreshed += refresh_scope(bank, entity, state, scope, tools)
    with tools.write():
        settle(bank, state, is_unfinished=refreshed.is_unfinished)
    return refreshed


def refresh_scope(bank: Bank, entity: Entity, state: ObservedEntity, scope: Scope, tools: Refreshing) -> Refreshed:
    started = timezone.now()
    with tools.write():
        tags = None if scope.is_gone else read_tags(bank, entity.id, scope)
        told = Told(scope, tags or ())
        dossier = Dossier(entity.id, entity.name)
        if tags is not None:
            dossier = read_dossier(bank, entity, told, most_facts=tools.most_facts)
    observed = observe(dossier, tools.observer) if tags is not None else NOTHING
    if observed.failure is not None:
        logger.warning("Observations of entity %s are put off: %s", entity.id, observed.failure)
        with tools.write():
            if Entity.objects.of_bank(bank).filter(id=entity.id).exists():
                put_off(bank, state, scope, now=timezone.now())
        return Refreshed(observed.usage, is_put_off=True)
    batch = tools.embedder.embed_documents([one.text for one in observed.observations])
    with tools.write():
        lock_memory(bank)
        if Entity.objects.of_bank(bank).filter(id=entity.id).exists():
            pairs = list(zip(observed.observations, batch.vectors, strict=True))
            place = Place(entity, scope.tags_hash, told.tags)
            store_observations(bank, place, pairs, actor=tools.observer.name, now=timezone.now())
            settle_scope(bank, state, scope, dossier, started)
    return Refreshed(observed.usage + batch.usage)


@dataclass(frozen=True)
class Outcome:
    """What an observer made of a dossier, or the failure that its content is the cause of."""

    observations: tuple[Observation, ...]
    usage: Usage
    failure: LLMError | None = None


NOTHING = Outcome((), Usage())


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


def settle_scope(bank: Bank, state: ObservedEntity, scope: Scope, dossier: Dossier, started: datetime) -> None:
    """It has seen what it was when the refresh began: what came meanwhile makes another sum."""
    if scope.is_gone:
        forget_scope(bank, state, scope)
        return
    seen = {"told": scope.told, "seen_until": started, "facts": dossier.fact_count}
    keep_scope(bank, state, scope, refused_since=None, due_at=None, **seen)


def settle(bank: Bank, state: ObservedEntity, *, is_unfinished: bool) -> None:
    """Fresh, unless something changed while the observer thought: then it stays due. What is left goes on at once,
    after the entities that wait longer; what was refused, when its time comes.
    """
    now = timezone.now()
    rows = ObservedEntity.objects.of_bank(bank).filter(id=state.id)
    rows.update(refreshed_at=now, refused_since=None)
    if is_unfinished:
        rows.stale().update(due_at=now)
        return
    unchanged = rows.filter(changes=state.changes)
    refused = ObservedScope.objects.of_bank(bank).filter(entity_id=state.entity_id, refused_since__isnull=False)
    waiting = refused.aggregate(since=Min("refused_since"), first=Min("due_at"))
    if waiting["since"] is None:
        unchanged.update(stale_since=None, due_at=None, changes=0, altered_at=None)
    else:
        unchanged.stale().update(refused_since=waiting["since"], due_at=waiting["first"])
