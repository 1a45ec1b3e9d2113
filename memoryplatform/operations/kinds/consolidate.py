"""What follows a retain: step by step, what is derived from memories is brought up to date with them."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.entities.describe import describe_entities
from banks.locking import lock_memory
from banks.models import Bank
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.announced_ends import ask_for_closing
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.nights import ask_for_tending
from memoryplatform.operations.entities.parted import find_parted
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.mental_models.refreshes import follow_facts, renew_bereft
from memoryplatform.operations.models import Operation
from memoryplatform.operations.opinions.assessor_choice import choose_assessor
from memoryplatform.operations.opinions.weighings import find_weighed_since
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import CONSOLIDATE
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from memoryplatform.operations.running.submit import submit
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.background.learning import find_snippets, read_told
from reflection.mental_models.storing import has_lost, lose_corrected
from reflection.observations.marking import mark_stale
from reflection.opinions.forming.adopting import Heard, adopt_opinions
from reflection.opinions.history.embedding import embed_opinions
from reflection.opinions.history.retold import find_merged, take_back_merged
from reflection.opinions.history.withdrawing import has_lost_evidence, withdraw_lost_evidence
from reflection.opinions.weighing.catching_up import catch_up
from reflection.opinions.weighing.reinforcing import Tools, reinforce_opinions
from tenants.models import UsageRecord
from tenants.usage import record_usage

logger = logging.getLogger(__name__)

UNPINNED = "unpinned_ids"
LONGEST_RETAIN = timedelta(days=1)  # until it hands over: what it merged or ended is followed, what was before is not
Figures = Mapping[str, int | Mapping[str, int]]


@dataclass(frozen=True)
class Task:
    """What a step works on. Its writes go through the run's transaction, which a lost lease refuses.

    `unpinned` are opinions that evidence may move again.
    """

    bank: Bank
    post: PostRetain
    run: Run
    unpinned: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Done:
    """What a step spent, and figures for the operation's result."""

    usage: Usage = field(default_factory=Usage)
    figures: Figures = field(default_factory=dict)


Step = Callable[[Task], Done]


def describe_touched_entities(task: Task) -> Done:
    with task.run.transaction() as operation:
        touched = find_touched(task, since=operation.created_at - LONGEST_RETAIN)
    return Done(describe_entities(task.bank, touched, get_embedder()))


def find_touched(task: Task, *, since: datetime) -> set[UUID]:
    """Those that the retain speaks of, and those who stood to them in what it ended."""
    spoken_of = set(task.post.entity_ids)
    return spoken_of | find_parted(task.bank, spoken_of, since=since) if spoken_of else spoken_of


def take_back_lost_evidence(task: Task) -> Done:
    """What the retain deleted, with an earlier version of a document, had perhaps moved opinions, and so had what it
    gave other words.
    """
    with task.run.transaction():
        lock_memory(task.bank)
        withdrawn = withdraw_lost_evidence(task.bank, now=timezone.now())
        withdrawn += take_back_merged(task.bank, task.post.proven_ids, now=timezone.now())
    return Done(figures={"opinions_withdrawn": withdrawn.opinions, "opinions_bereft": withdrawn.bereft})


def take_in_opinions(task: Task) -> Done:
    """Before the facts are weighed: those of the same retain may bear on them."""
    heard = Heard(task.post.unit_ids, task.post.proven_ids, task.post.closed_ids)
    adopted = adopt_opinions(task.bank, heard, embedder=get_embedder(), write=task.run.transaction, now=timezone.now())
    refused = {reason.value: count for reason, count in adopted.refused.items()}
    figures: Figures = {"opinions_formed": adopted.formed, "opinions_refused": refused}
    return Done(embed_opinions(task.bank, get_embedder(), task.run.transaction), figures)


def weigh_evidence(task: Task) -> Done:
    tools = Tools(choose_assessor(task.run.tenant_id), get_embedder(), task.run.transaction)
    with task.run.transaction() as operation:
        merged = find_merged(task.bank, task.post.proven_ids, since=operation.created_at - LONGEST_RETAIN)
    weighed = reinforce_opinions(task.bank, [*task.post.unit_ids, *merged], tools, now=timezone.now())
    handed_over = partial(find_weighed_since, task.bank, kind=CONSOLIDATE)
    for opinion_id in task.unpinned:
        weighed += catch_up(task.bank, opinion_id, tools, now=timezone.now(), handed_over=handed_over)
    figures = {
        "evidence_weighed": weighed.weighed,
        "opinions_moved": weighed.moved,
        "evidence_undecided": weighed.undecided,
        "evidence_by_rules": weighed.by_others,
        "evidence_left_out": weighed.left_out,
        "evidence_steps": weighed.steps,
        "evidence_calls": weighed.calls,
    }
    return Done(weighed.usage, figures)


def mark_touched_entities(task: Task) -> Done:
    with task.run.transaction() as operation:
        touched = find_touched(task, since=operation.created_at - LONGEST_RETAIN)
        mark_stale(task.bank, touched, now=timezone.now())
        ask_for_refresh(task.bank)
        ask_for_tending(task.bank)
        ask_for_closing(task.bank)
    return Done()


def follow_with_models(task: Task) -> Done:
    """After the observations were marked. What the retain deleted or corrected was perhaps retold in one."""
    with task.run.transaction():
        lose_corrected(task.bank, task.post.closed_ids)
        renew_bereft(task.bank)
        return Done(figures={"mental_models_behind": follow_facts(task.bank, task.post.unit_ids)})


def learn_background(task: Task) -> Done:
    """All in one merge. Merged once more it says nothing new, so a second run changes nothing."""
    if not task.bank.learns_background:
        return Done()
    with task.run.transaction():
        texts = read_told(task.bank, task.post.unit_ids)
    snippets = find_snippets(texts, task.bank.name)
    if not snippets:
        return Done()
    try:
        merge_background(BankAccess(task.run.tenant_id), task.bank.bank_id, *snippets, actor=CONSOLIDATE)
    except (LLMRefused, MalformedAnswer) as failure:
        if not concerns_content(failure):
            raise
        logger.warning("Nothing of %d statements about the agent was learned: %s", len(snippets), failure)
        return Done(figures={"background_refused": len(snippets)})
    return Done()


# Each may run again after a crash, and must come to the same.
STEPS: dict[str, Step] = {
    "describing entities": describe_touched_entities,
    "taking back lost evidence": take_back_lost_evidence,
    "taking in opinions": take_in_opinions,
    "weighing evidence": weigh_evidence,
    "marking observations": mark_touched_entities,
    "following with mental models": follow_with_models,
    "learning the background": learn_background,
}


def hand_over(bank: Bank, post: PostRetain) -> Operation | None:
    """Call inside the tenant transaction that ends the retain: what it changed is then never forgotten."""
    is_needed = post or has_lost_evidence(bank) or has_lost(bank)
    return submit(bank.tenant_id, CONSOLIDATE, payload=post.write(), bank=bank) if is_needed else None


def hand_over_unpinned(bank: Bank, opinion_id: UUID) -> Operation:
    """Call inside the tenant transaction that unpins or restores it: the facts that came meanwhile are then weighed."""
    return submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain().write() | {UNPINNED: [str(opinion_id)]}, bank=bank)


def read_task(run: Run) -> Task:
    payload = dict(run.payload)
    unpinned = tuple(map(UUID, payload.pop(UNPINNED, ())))
    return Task(load_bank(run), PostRetain.read(payload), run, unpinned)


@operation_kind(CONSOLIDATE, queue="background")
@ends_with_its_bank
def consolidate(run: Run) -> dict[str, Any]:
    task = read_task(run)
    usage = Usage()
    result: dict[str, Any] = {"units": len(task.post.unit_ids), "entities": len(task.post.entity_ids)}
    for done, (stage, step) in enumerate(STEPS.items()):
        run.report(stage, processed=done, total=len(STEPS))
        outcome = step(task)
        usage += outcome.usage
        result |= outcome.figures
    with run.transaction() as operation:
        record_usage(
            run.tenant_id,
            UsageRecord.Kind.CONSOLIDATE,
            usage,
            bank_id=task.bank.bank_id,
            operation_id=operation.id,
        )
        run.complete(operation, result)
    return result
