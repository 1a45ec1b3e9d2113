"""Catching up: an unpinned or restored opinion meets the facts that came while evidence could not move it."""

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.candidate_pairs import Plan, by_arrival, plan_weighing
from reflection.opinions.changed_facts import find_merged_evidence, withdraw_merged
from reflection.opinions.evidence import FACTS
from reflection.opinions.history import OpinionState, follow
from reflection.opinions.lost_evidence import delete_unsupported, withdraw_lost_evidence
from reflection.opinions.revisions import read_revisions
from reflection.opinions.rewording import embed_opinions
from reflection.opinions.weighing import Reinforced, Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

MOST_LOOKED_AT = 1_000  # of the bank's newest memories
MOST_WEIGHED = 200  # of the facts among them that may bear on it, the newest: some ten calls of a model
APART = {MemoryUnit.Review.PINNED, MemoryUnit.Review.RETIRED}
Cause = OpinionRevision.Cause
GIVING_WAY = {Cause.CONTRADICT, Cause.REVISED}

FindUnfinished = Callable[[datetime], Collection[UUID]]


def catch_up(
    bank: Bank, opinion_id: UUID, tools: Tools, *, now: datetime, find_unfinished: FindUnfinished
) -> Reinforced:
    """Call outside of transactions. A second run changes nothing: no fact moves an opinion twice.

    `find_unfinished` names the facts whose weighing was not over at a moment, however early they came. It is called
    inside a tenant transaction.
    """
    merged = withdraw_merged_evidence(bank, opinion_id, tools, now=now)
    with tenant_transaction(bank.tenant_id):
        fact_ids = {*find_missed(bank, opinion_id, find_unfinished), *merged}
        plan = plan_weighing(bank, fact_ids, most=MOST_LOOKED_AT, only=opinion_id) if fact_ids else Plan()
    candidates = sorted((one.fact for one in plan.pairs), key=by_arrival)
    chosen = [fact.id for fact in candidates[-MOST_WEIGHED:]]
    left_out = Reinforced(left_out=len(candidates) - len(chosen))
    caught_up = left_out + reinforce_opinions(bank, chosen, tools, now=now, only=opinion_id)
    drop_unsupported(bank, opinion_id, tools.write, now=now)
    return caught_up


def drop_unsupported(
    bank: Bank, opinion_id: UUID, write: Callable[[], AbstractContextManager[object]], *, now: datetime
) -> None:
    """Deletes an unpinned opinion that has outlived all its evidence."""
    with write():
        lock_memory(bank)
        if delete_unsupported(bank, opinion_id):
            withdraw_lost_evidence(bank, now=now)


def withdraw_merged_evidence(bank: Bank, opinion_id: UUID, tools: Tools, *, now: datetime) -> set[UUID]:
    """The facts that were merged in the meantime: their former effect is withdrawn only now."""
    with tools.write():
        lock_memory(bank)
        merged = find_merged_evidence(bank, opinion_id)
        withdraw_merged(bank, merged, now=now)
    embed_opinions(bank, tools.embedder, tools.write)
    return merged


def find_missed(bank: Bank, opinion_id: UUID, find_unfinished: FindUnfinished) -> list[UUID]:
    """Facts that came, or were still to be weighed, since evidence ceased to move the opinion."""
    since = find_start_of_pause(read_revisions(bank, opinion_id))
    if since is None:
        return []
    unfinished = frozenset(find_unfinished(since))
    newest = MemoryUnit.objects.of_bank(bank).filter(number__isnull=False).order_by("-number")[:MOST_LOOKED_AT]
    facts = MemoryUnit.objects.of_bank(bank).current().filter(id__in=newest.values("id"), network__in=FACTS)
    rows = facts.order_by("id").values_list("id", "recorded_at")
    return [fact_id for fact_id, recorded_at in rows if recorded_at >= since or fact_id in unfinished]


def find_start_of_pause(revisions: Iterable[OpinionRevision]) -> datetime | None:
    """When evidence last ceased to move the opinion: at its pin or retirement, or when it gave way to another.

    A retirement of a pinned opinion changes nothing: the pin began the pause.
    """
    state, since, gave_way = OpinionState(), None, None
    for revision in revisions:
        after = follow(state, revision)
        if after.review in APART and state.review not in APART:
            since = revision.created_at
        elif revision.cause == Cause.RESTORED and state.review not in APART:
            since = gave_way
        gave_way = revision.created_at if revision.cause in GIVING_WAY else gave_way
        state = after
    return since
