"""An opinion that was pinned meets the facts that came meanwhile, now that evidence may move it again."""

from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.evidence import FACTS
from reflection.opinions.weighing.bearing import by_arrival, plan_weighing
from reflection.opinions.weighing.reinforcing import Reinforced, Tools, reinforce_opinions
from tenants.transactions import tenant_transaction

MOST_LOOKED_AT = 1_000  # of the bank's newest memories
MOST_WEIGHED = 200  # of the facts among them that may bear on it, the newest: some ten calls of an LLM


def catch_up(bank: Bank, opinion_id: UUID, tools: Tools, *, now: datetime) -> Reinforced:
    """Call outside of transactions. Again after a crash it comes to the same: no fact moves an opinion twice."""
    with tenant_transaction(bank.tenant_id):
        fact_ids = find_missed(bank, opinion_id)
        plan = plan_weighing(bank, fact_ids, most=MOST_LOOKED_AT, only=opinion_id) if fact_ids else None
    if plan is None:
        return Reinforced()
    bearing = sorted((one.fact for one in plan.pairs), key=by_arrival)
    chosen = [fact.id for fact in bearing[-MOST_WEIGHED:]]
    left_out = Reinforced(left_out=len(bearing) - len(chosen))
    return left_out + reinforce_opinions(bank, chosen, tools, now=now, only=opinion_id)


def find_missed(bank: Bank, opinion_id: UUID) -> list[UUID]:
    """What came since it was last pinned. Call inside a tenant transaction."""
    pins = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id, cause=OpinionRevision.Cause.PINNED)
    pinned_at = pins.order_by("number").values_list("created_at", flat=True).last()
    if pinned_at is None:
        return []
    newest = MemoryUnit.objects.of_bank(bank).filter(number__isnull=False).order_by("-number")[:MOST_LOOKED_AT]
    facts = MemoryUnit.objects.of_bank(bank).current().filter(id__in=newest.values("id"), network__in=FACTS)
    return list(facts.filter(recorded_at__gte=pinned_at).order_by("id").values_list("id", flat=True))
