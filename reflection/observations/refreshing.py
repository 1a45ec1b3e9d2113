"""One refresh of one entity, scope by scope: read, observe, embed, write. No transaction is open in between."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
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
from reflection.observations.types import Dossier, JointObserver, Observation, Observed, Observer

logger = logging.getLogger(__name__)

MOST_AHEAD = 30  # entities that are read for calls that they share
MOST_TOGETHER = 8  # entities in one call
MOST_CALLS = 6  # of one refresh: further facts of a large entity are counted, not read


@dataclass(frozen=True)
class RefreshTools:
    """`write` opens the transaction of every write. An operation's transaction is fenced by its lease."""

    observer: Observer
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]
    spend: Callable[[Usage], object] = lambda _usage: None  # of a call for several entities

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


Ahead = Mapping[Dossier, tuple[Observation, ...]]
"""The observations that one call for several entities gave. They hold as long as the dossier is the same."""
NOTHING_AHEAD: Ahead = MappingProxyType({})


@dataclass(frozen=True)
class Touched:
    """An entity that is due, with the scopes that changed."""

    entity: Entity
    state: ObservedEntity
    scopes: tuple[scopes.Scope, ...]
    is_unfinished: bool


def find_touched_entity(bank: Bank, entity_id: UUID) -> Touched | None:
    """Call inside a tenant transaction."""
    entity = Entity.objects.of_bank(bank).filter(id=entity_id).first()
    state = ObservedEntity.objects.of_bank(bank).filter(entity_id=entity_id).first()
    if entity is None or state is None:
        return None
    found = scopes.find_touched(bank, state, now=timezone.now(), most=scopes.MOST_AT_ONCE + 1)
    return Touched(entity, state, tuple(found[: scopes.MOST_AT_ONCE]), len(found) > scopes.MOST_AT_ONCE)


def observe_ahead(bank: Bank, entity_ids: Sequence[UUID], observer: JointObserver, tools: RefreshTools) -> Ahead:
    """Asks about several entities in one call, those under the same tags together. `refresh_entity` uses the result.

    A failure is ignored here: the entities are asked about one by one then.
    """
    groups: dict[tuple[str, ...], list[Dossier]] = {}
    for entity_id in entity_ids[:MOST_AHEAD]:
        with tools.write():
            touched = find_touched_entity(bank, entity_id)
            for scope in touched.scopes if touched else ():
                read = read_scope(bank, touched.entity, scope, tools) if touched and not scope.is_gone else None
                if read and needs_call(*read) and scope.refused_since is None:
                    groups.setdefault(read[0].tags, []).append(read[1])
    ahead: dict[Dossier, tuple[Observation, ...]] = {}
    for dossiers in (part for group in groups.values() for part in share_calls(group, observer.facts_at_once)):
        try:
            observed, usage = observer.observe_together(dossiers)
        except (LLMRefused, MalformedAnswer) as failure:
            if not concerns_content(failure):
                raise
            tools.spend(failure.usage if isinstance(failure, MalformedAnswer) else Usage())
            continue
        tools.spend(usage)
        ahead |= {dossier: one for dossier, one in zip(dossiers, observed, strict=True) if one}
    return ahead


def share_calls(dossiers: Sequence[Dossier], most_facts: int) -> Iterator[list[Dossier]]:
    """Groups of at most so many facts and MOST_TOGETHER entities. One that would be alone is left out."""
    group: list[Dossier] = []
    for one in dossiers:
        if len(group) == MOST_TOGETHER or sum(len(each.facts) for each in [*group, one]) > most_facts:
            yield from [group] if len(group) > 1 else []
            group = []
        group.append(one)
    if len(group) > 1:
        yield group


def refresh_entity(bank: Bank, entity_id: UUID, tools: RefreshTools, ahead: Ahead = NOTHING_AHEAD) -> Refreshed:
    """Each scope is saved by itself, so a run after a crash skips the scopes that were written."""
    with tools.write():
        touched = find_touched_entity(bank, entity_id)
    if touched is None:
        return Refreshed()
    refreshed = Refreshed(is_unfinished=touched.is_unfinished)
    for scope in touched.scopes:
        refreshed += refresh_scope(bank, touched.entity, touched.state, scope, tools, ahead)
    with tools.write():
        update_observed_entity(bank, touched.state, is_unfinished=refreshed.is_unfinished)
    return refreshed


def read_scope(
    bank: Bank, entity: Entity, scope: scopes.Scope, tools: RefreshTools
) -> tuple[scopes.Scope, Dossier] | None:
    """The scope with its tags, and its dossier. None where no fact has its tags. Call inside a tenant transaction."""
    tags = scopes.read_tags(bank, entity.id, scope)
    if tags is None:
        return None
    tagged = replace(scope, tags=tags)
    return tagged, read_dossier(bank, entity, tagged, most_facts=tools.most_facts)


def needs_call(scope: scopes.Scope, dossier: Dossier) -> bool:
    """Few facts say it all themselves. Later each call waits until the file has grown by a share of what it rests on,
    unless known facts were altered: so a long memory is not read again and again.
    """
    if dossier.fact_count < settings.OBSERVATION_LEAST_FACTS or not dossier.facts:
        return False
    if scope.is_altered or not dossier.known or dossier.has_fallen:
        return True
    covered = dossier.fact_count - len(dossier.facts)
    return len(dossier.facts) >= max(settings.OBSERVATION_LEAST_FACTS, covered * settings.OBSERVATION_LEAST_SHARE)


def refresh_scope(
    bank: Bank, entity: Entity, state: ObservedEntity, scope: scopes.Scope, tools: RefreshTools, ahead: Ahead
) -> Refreshed:
    started = timezone.now()
    with tools.write():
        read = None if scope.is_gone else read_scope(bank, entity, scope, tools)
    scope, dossier = read or (replace(scope, tags=()), Dossier(entity.name))
    observed = Observed()
    if read is not None:
        if needs_call(scope, dossier):
            done = ahead.get(dossier)
            observed = Observed(done) if done else observe(dossier, tools.observer)
        else:
            observed = Observed(dossier.known)
            if dossier.known and dossier.facts and scope.seen_until:
                started = scope.seen_until  # the facts stay unread
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
            save_observed_scope(bank, state, scope, dossier, started)
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


def save_observed_scope(
    bank: Bank, state: ObservedEntity, scope: scopes.Scope, dossier: Dossier, started: datetime
) -> None:
    """Saves the fingerprint from the start of the refresh: facts that came meanwhile give another one."""
    if scope.is_gone:
        scopes.delete_scope(bank, state, scope)
        return
    seen = {"told": scope.fingerprint, "seen_until": started, "facts": dossier.fact_count}
    scopes.save_scope(bank, state, scope, refused_since=None, due_at=None, **seen)


def update_observed_entity(bank: Bank, state: ObservedEntity, *, is_unfinished: bool) -> None:
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
