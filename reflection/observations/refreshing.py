"""One refresh of one entity, scope by scope: read, observe, embed, write. No transaction is open in between."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Min
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Entity
from providers.embedding.protocol import Embedder
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.usage import Usage
from reflection.models import ObservedEntity, ObservedScope
from reflection.observations import scopes
from reflection.observations.dossiers import read_dossier
from reflection.observations.storing import store_observations
from reflection.observations.types import Dossier, Observed, Observer

logger = logging.getLogger(__name__)

MOST_CALLS = 6  # of one refresh: further facts of a large entity are counted, not read


@dataclass(frozen=True)
class RefreshTools:
    """`write` opens the transaction of every write. An operation's transaction is fenced by its lease."""

    observer: Observer
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]

    @property
    def most_facts(self) -> int:
        return self.observer.facts_at_once * MOST_CALLS


@dataclass(frozen=True)
class Refreshed:
    """`is_put_off`: the model refused, or its answer was unusable. The former observations stay, as stale ones.

    `is_unfinished`: the entity has more scopes than one refresh takes, and is still due.
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


def refresh_entity(bank: Bank, entity_id: UUID, tools: RefreshTools) -> Refreshed:
    """Each scope is saved by itself, so a run after a crash skips the scopes that were written.

    A scope with fewer facts than OBSERVATION_LEAST_FACTS costs no call: its facts say it all.
    """
    with tools.write():
        entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
        state = ObservedEntity.objects.of_bank(bank).filter(entity_id=entity_id).first()
        if entity is None or state is None:
            return Refreshed()
        touched = scopes.find_touched(bank, state, now=timezone.now(), most=scopes.MOST_AT_ONCE + 1)
    refreshed = Refreshed(is_unfinished=len(touched) > scopes.MOST_AT_ONCE)
    for scope in touched[: scopes.MOST_AT_ONCE]:
        refreshed += refresh_scope(bank, entity, state, scope, tools)
    with tools.write():
        settle_entity(bank, state, is_unfinished=refreshed.is_unfinished)
    return refreshed


def refresh_scope(
    bank: Bank, entity: Entity, state: ObservedEntity, scope: scopes.Scope, tools: RefreshTools
) -> Refreshed:
    started = timezone.now()
    with tools.write():
        tags = None if scope.is_gone else scopes.read_tags(bank, entity.id, scope)
        scope = replace(scope, tags=tags or ())
        dossier = Dossier(entity.name)
        if tags is not None:
            dossier = read_dossier(bank, entity, scope, most_facts=tools.most_facts)
    observed = Observed()
    if tags is not None:
        has_enough = dossier.fact_count >= settings.OBSERVATION_LEAST_FACTS
        observed = observe(dossier, tools.observer) if has_enough else Observed(dossier.known)
    if observed.failure is not None:
        logger.warning("Observations of entity %s are put off: %s", entity.id, observed.failure)
        with tools.write():
            if Entity.objects.of_bank(bank).filter(id=entity.id).exists():
                scopes.postpone_scope(bank, state, scope, now=timezone.now())
        return Refreshed(observed.usage, is_put_off=True)
    batch = tools.embedder.embed_documents([one.text for one in observed.observations])
    with tools.write():
        lock_memory(bank)
        if Entity.objects.of_bank(bank).filter(id=entity.id).exists():
            pairs = list(zip(observed.observations, batch.vectors, strict=True))
            store_observations(bank, entity, scope, pairs, actor=tools.observer.name, now=timezone.now())
            settle_scope(bank, state, scope, dossier, started)
    return Refreshed(observed.usage + batch.usage)


def observe(dossier: Dossier, observer: Observer) -> Observed:
    """Without a new fact the observations stay, and no call is made. Many facts take several calls, and each gets the
    observations of the one before.
    """
    known, usage, size = dossier.known, Usage(), observer.facts_at_once
    for start in range(0, len(dossier.facts), size):
        try:
            observed = observer.observe(replace(dossier, facts=dossier.facts[start : start + size], known=known))
        except (LLMRefused, MalformedAnswer) as failure:
            if not concerns_content(failure):
                raise
            spent = failure.usage if isinstance(failure, MalformedAnswer) else Usage()
            return Observed((), usage + spent, failure)
        known, usage = observed.observations, usage + observed.usage
    return Observed(known, usage)


def settle_scope(bank: Bank, state: ObservedEntity, scope: scopes.Scope, dossier: Dossier, started: datetime) -> None:
    """Saves the fingerprint from the start of the refresh: facts that came meanwhile give another one."""
    if scope.is_gone:
        scopes.delete_scope(bank, state, scope)
        return
    seen = {"told": scope.fingerprint, "seen_until": started, "facts": dossier.fact_count}
    scopes.save_scope(bank, state, scope, refused_since=None, due_at=None, **seen)


def settle_entity(bank: Bank, state: ObservedEntity, *, is_unfinished: bool) -> None:
    """The entity is fresh, unless a fact changed during the refresh. Unfinished entities are due at once, after those
    that wait longer. Refused scopes make the entity due when their time comes.
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
