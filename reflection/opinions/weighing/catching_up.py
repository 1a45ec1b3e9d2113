"""An opinion that was pinned, retired or closed meets the facts that came meanwhile: evidence may move it again."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from uuid import UUID

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.evidence import FACTS
from reflection.opinions.history.bereft import forget_bereft
from reflection.opinions.history.embedding import embed_opinions
from reflection.opinions.history.replay import OpinionState, follow
from reflection.opinions.history.retold import find_retold_to, take_back_merged
from reflection.opinions.history.revisions import read_revisions
from reflection.opinions.history.withdrawing import withdraw_lost_evidence
from reflection.opinions.weighing.bearing import Plan, by_arrival, plan_weighing
from reflection.opinions.weighing.reinforcing import Reinforced, Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

MOST_LOOKED_AT = 1_000  # of the bank's newest memories
MOST_WEIGHED = 200  # of the facts among them that may bear on it, the newest: some ten calls of an LLM
APART = {MemoryUnit.Review.PINNED, MemoryUnit.Review.RETIRED}
Cause = OpinionRevision.Cause
GIVING_WAY = {Cause.CONTRADICT, Cause.REVISED}

HandedOver = Callable[[datetime], Collection[UUID]]


def catch_up(bank: Bank, opinion_id: UUID, tools: Tools, *, now: datetime, handed_over: HandedOver) -> Reinforced:
    """Call outside of transactions. Again after a crash it comes to the same: no fact moves an opinion twice. What has
    outlived all its evidence, and finds none now, goes.

    `handed_over` names the facts whose weighing was not over at a moment: an opinion that was set apart then took no
    part in it, however early they came. It is called inside a tenant transaction.
    """
    retold = take_back_retold(bank, opinion_id, tools, now=now)
    with tenant_transaction(bank.tenant_id):
        fact_ids = {*find_missed(bank, opinion_id, handed_over), *retold}
        plan = plan_weighing(bank, fact_ids, most=MOST_LOOKED_AT, only=opinion_id) if fact_ids else Plan()
    bearing = sorted((one.fact for one in plan.pairs), key=by_arrival)
    chosen = [fact.id for fact in bearing[-MOST_WEIGHED:]]
    left_out = Reinforced(left_out=len(bearing) - len(chosen))
    caught_up = left_out + reinforce_opinions(bank, chosen, tools, now=now, only=opinion_id)
    with tools.write():
        lock_memory(bank)
        if forget_bereft(bank, opinion_id):
            withdraw_lost_evidence(bank, now=now)
    return caught_up


def take_back_retold(bank: Bank, opinion_id: UUID, tools: Tools, *, now: datetime) -> set[UUID]:
    """The facts that took another telling in meanwhile: what they had done before it is taken back only now."""
    with tenant_transaction(bank.tenant_id):
        retold = find_retold_to(bank, opinion_id)
    if retold:
        with tools.write():
            lock_memory(bank)
            take_back_merged(bank, retold, now=now)
        embed_opinions(bank, tools.embedder, tools.write)
    return retold


def find_missed(bank: Bank, opinion_id: UUID, handed_over: HandedOver) -> list[UUID]:
    """What came, or was still to be weighed, since it was last set apart. Call inside a tenant transaction."""
    apart_since = find_setting_apart(read_revisions(bank, opinion_id))
    if apart_since is None:
        return []
    waiting = frozenset(handed_over(apart_since))
    newest = MemoryUnit.objects.of_bank(bank).filter(number__isnull=False).order_by("-number")[:MOST_LOOKED_AT]
    facts = MemoryUnit.objects.of_bank(bank).current().filter(id__in=newest.values("id"), network__in=FACTS)
    rows = facts.order_by("id").values_list("id", "recorded_at")
    return [fact_id for fact_id, recorded_at in rows if recorded_at >= apart_since or fact_id in waiting]


def find_setting_apart(revisions: Iterable[OpinionRevision]) -> datetime | None:
    """When evidence ceased to move it the last time: with its mark, or with the step by which it gave way before it was
    restored. What was retired while it was pinned was set apart by the pin.
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
