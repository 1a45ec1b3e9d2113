"""Consolidation: after a retain, everything derived from memories is updated step by step."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.entities.descriptions import describe_entities
from banks.locking import lock_memory
from banks.models import Bank
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.banks.retention import schedule_maintenance
from memoryplatform.operations.engine_choice import find_cached_llm
from memoryplatform.operations.entities import find_former_partners
from memoryplatform.operations.mental_models import follow_facts, refresh_lost_models
from memoryplatform.operations.models import Operation
from memoryplatform.operations.observation_refreshes import mark_and_refresh
from memoryplatform.operations.opinion_weighings import (
    UNPINNED,
    choose_assessor,
    choose_matcher,
    find_unfinished_facts,
)
from memoryplatform.operations.running.kind_names import CONSOLIDATE
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank, perform_steps
from memoryplatform.operations.running.submit import submit
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.llm.protocol import Task as LLMTask
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.background import find_statements, read_messages_to_agent
from reflection.mental_models import has_lost_sources, mark_corrected_sources_lost
from reflection.opinions.adopting import RetainedUnits, adopt_opinions
from reflection.opinions.catching_up import catch_up, drop_unsupported
from reflection.opinions.changed_facts import find_merged, withdraw_merged
from reflection.opinions.lost_evidence import has_lost_evidence, withdraw_lost_evidence
from reflection.opinions.rewording import embed_opinions
from reflection.opinions.weighing import Tools, reinforce_opinions

logger = logging.getLogger(__name__)

LONGEST_RETAIN = timedelta(days=1)  # from its first change to its consolidation
Figures = Mapping[str, int | Mapping[str, int]]


@dataclass(frozen=True)
class Task:
    """The input of a step. It writes through the run's transaction, which fails after a lost lease.

    `unpinned` are opinions that evidence may move again.
    """

    bank: Bank
    post: PostRetain
    run: Run
    unpinned: tuple[UUID, ...] = ()


Done = tuple[Usage, Figures]  # the usage of a step, and figures for the operation's result
Step = Callable[[Task], Done]


def describe_touched_entities(task: Task) -> Done:
    with task.run.transaction() as operation:
        touched = find_touched(task, since=operation.created_at - LONGEST_RETAIN)
    return describe_entities(task.bank, touched, get_embedder(task.bank.embedding_model)), {}


def find_touched(task: Task, *, since: datetime) -> set[UUID]:
    """Entities that the retain mentions, and the other ends of relationships that it ended."""
    spoken_of = set(task.post.entity_ids)
    return spoken_of | find_former_partners(task.bank, spoken_of, since=since) if spoken_of else spoken_of


def withdraw_lost_facts(task: Task) -> Done:
    """The retain may have deleted or reworded facts that had moved opinions."""
    with task.run.transaction():
        lock_memory(task.bank)
        withdrawn = withdraw_lost_evidence(task.bank, now=timezone.now())
        withdrawn += withdraw_merged(task.bank, task.post.proven_ids, now=timezone.now())
    return Usage(), {"opinions_withdrawn": withdrawn.opinions, "opinions_unsupported": withdrawn.unsupported}


def adopt_stated_opinions(task: Task) -> Done:
    """Runs before the weighing, so that facts of the same retain can be evidence for the new opinions."""
    retained = RetainedUnits(task.post.unit_ids, task.post.proven_ids, task.post.closed_ids)
    matcher = choose_matcher(task.run.tenant_id)
    adopted = adopt_opinions(task.bank, retained, matcher=matcher, write=task.run.transaction, now=timezone.now())
    refused = {reason.value: count for reason, count in adopted.refused.items()}
    figures: Figures = {"opinions_formed": adopted.formed, "opinions_refused": refused}
    embedding = embed_opinions(task.bank, get_embedder(task.bank.embedding_model), task.run.transaction)
    return adopted.usage + embedding, figures


def weigh_evidence(task: Task) -> Done:
    """Without a language model nothing is weighed."""
    assessor = choose_assessor(task.run.tenant_id)
    if assessor is None:
        for opinion_id in task.unpinned:
            drop_unsupported(task.bank, opinion_id, task.run.transaction, now=timezone.now())
        return Usage(), {}
    tools = Tools(assessor, get_embedder(task.bank.embedding_model), task.run.transaction)
    with task.run.transaction() as operation:
        merged = find_merged(task.bank, task.post.proven_ids, since=operation.created_at - LONGEST_RETAIN)
    weighed = reinforce_opinions(task.bank, [*task.post.unit_ids, *merged], tools, now=timezone.now())
    find_unfinished = partial(find_unfinished_facts, task.bank)
    for opinion_id in task.unpinned:
        weighed += catch_up(task.bank, opinion_id, tools, now=timezone.now(), find_unfinished=find_unfinished)
    figures = {
        "evidence_weighed": weighed.weighed,
        "opinions_moved": weighed.moved,
        "evidence_undecided": weighed.undecided,
        "evidence_left_out": weighed.left_out,
        "evidence_steps": weighed.steps,
        "evidence_calls": weighed.calls,
    }
    return weighed.usage, figures


def mark_touched_entities(task: Task) -> Done:
    with task.run.transaction() as operation:
        touched = find_touched(task, since=operation.created_at - LONGEST_RETAIN)
        mark_and_refresh(task.bank, touched)
        schedule_maintenance(task.bank)
    return Usage(), {}


def follow_with_models(task: Task) -> Done:
    """Runs after the observations were marked. Models may contain facts that the retain deleted or corrected."""
    with task.run.transaction():
        mark_corrected_sources_lost(task.bank, task.post.closed_ids)
        refresh_lost_models(task.bank)
        return Usage(), {"mental_models_behind": follow_facts(task.bank, task.post.unit_ids)}


def learn_background(task: Task) -> Done:
    """All statements go into one merge. A language model finds and merges them; without one nothing is learned."""
    llm = find_cached_llm(task.run.tenant_id, LLMTask.REFLECT)
    if llm is None or not task.bank.learns_background:
        return Usage(), {}
    with task.run.transaction():
        texts = read_messages_to_agent(task.bank, task.post.unit_ids)
    try:
        found = find_statements(texts, llm, name=task.bank.name)
    except (LLMRefused, MalformedAnswer) as failure:
        if not concerns_content(failure):
            raise
        logger.warning("Nothing was learned about the agent from %d messages: %s", len(texts), failure)
        return Usage(), {"background_refused": len(texts)}
    if found.texts:
        merge_background(BankAccess(task.run.tenant_id), task.bank.bank_id, *found.texts, actor=CONSOLIDATE)
    return found.usage, {}


def fill_other_vectors(task: Task) -> Done:
    return fill_both_columns(task.bank, task.run.lease.operation_id, older_rows=True), {}


# Each step may run again after a crash, and must give the same result.
STEPS: dict[str, Step] = {
    "describing entities": describe_touched_entities,
    "taking back lost evidence": withdraw_lost_facts,
    "taking in opinions": adopt_stated_opinions,
    "weighing evidence": weigh_evidence,
    "marking observations": mark_touched_entities,
    "following with mental models": follow_with_models,
    "learning the background": learn_background,
    "filling both columns of vectors": fill_other_vectors,
}


def submit_consolidation(bank: Bank, post: PostRetain, *, api_key_prefix: str = "") -> Operation | None:
    """Call inside the tenant transaction that ends the retain, so that no change is lost."""
    is_needed = post or has_lost_evidence(bank) or has_lost_sources(bank)
    if not is_needed:
        return None
    return submit(bank.tenant_id, CONSOLIDATE, payload=post.write(), bank=bank, api_key_prefix=api_key_prefix)


def read_task(run: Run) -> Task:
    payload = dict(run.payload)
    unpinned = tuple(map(UUID, payload.pop(UNPINNED, ())))
    return Task(load_bank(run), PostRetain.read(payload), run, unpinned)


@operation_kind(CONSOLIDATE, queue="background")
@ends_with_its_bank
def consolidate(run: Run) -> dict[str, Any]:
    task = read_task(run)
    steps = {stage: partial(step, task) for stage, step in STEPS.items()}
    return perform_steps(run, steps, units=len(task.post.unit_ids), entities=len(task.post.entity_ids))
