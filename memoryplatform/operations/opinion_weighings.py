"""Operations that move opinions: the model behind them, and the consolidations that deletions and reviews ask for."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.engine_choice import find_cached_llm
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CONSOLIDATE
from memoryplatform.operations.running.submit import submit
from providers.llm.protocol import Task
from reflection.opinions.changed_facts import withdraw_split
from reflection.opinions.lost_evidence import ACTOR, withdraw_lost_evidence
from reflection.opinions.matching import OpinionMatcher
from reflection.opinions.verdicts import Assessor, LLMAssessor

MOST = 1_000  # operations, the newest
UNPINNED = "unpinned_ids"


def choose_assessor(tenant_id: UUID) -> Assessor | None:
    """None without a language model: no opinion is weighed then."""
    llm = find_cached_llm(tenant_id, Task.JUDGE)
    return LLMAssessor(llm) if llm else None


def choose_matcher(tenant_id: UUID) -> OpinionMatcher | None:
    """None without a language model: no opinion is matched then."""
    llm = find_cached_llm(tenant_id, Task.JUDGE)
    return OpinionMatcher(llm) if llm else None


def find_unfinished_facts(bank: Bank, moment: datetime) -> set[UUID]:
    """The facts of all consolidations that were not over by then, or came later."""
    operations = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind=CONSOLIDATE)
    unfinished = operations.filter(Q(finished_at=None) | Q(finished_at__gte=moment)).order_by("-id")
    payloads = unfinished.values_list("payload__unit_ids", flat=True)[:MOST]
    return {UUID(unit_id) for unit_ids in payloads for unit_id in unit_ids or ()}


def submit_catching_up(bank: Bank, opinion_id: UUID) -> Operation:
    """Asks for the weighing of missed facts. Call inside the tenant transaction that unpins or restores the opinion."""
    return submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain().write() | {UNPINNED: [str(opinion_id)]}, bank=bank)


def withdraw_deleted_evidence(bank: Bank, *, actor: str = ACTOR) -> None:
    """Call inside the tenant transaction of a deletion, after it, with `lock_memory` held.

    An operation embeds opinions whose text went back: no model runs inside a transaction.
    """
    withdrawn = withdraw_lost_evidence(bank, now=timezone.now(), actor=actor)
    if withdrawn.unembedded:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain().write(), bank=bank)


def withdraw_split_evidence(bank: Bank, entity_ids: Collection[UUID], *, actor: str) -> None:
    """Call inside the tenant transaction that split an entity into these, with `lock_memory` held."""
    facts = withdraw_split(bank, entity_ids, now=timezone.now(), actor=actor)
    if facts:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain(unit_ids=tuple(sorted(facts))).write(), bank=bank)


def weigh_again(bank: Bank, unit: MemoryUnit) -> None:
    """Call inside the tenant transaction of a manual change: of a fact, or of an opinion that is held again."""
    if unit.network == Network.OPINION:
        submit_catching_up(bank, unit.id)
    else:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain(unit_ids=(unit.id,)).write(), bank=bank)
