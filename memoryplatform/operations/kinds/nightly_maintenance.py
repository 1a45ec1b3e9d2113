"""Nightly maintenance of a bank: retention rules, scheduled ends, duplicate observations, month summaries, usage.

Operations of this kind are stored and shown as `tend_bank`.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from banks.embedding_texts import embed_rows
from banks.entities.descriptions import empty_descriptions
from banks.enums import FACTUAL, Network
from banks.lifecycle.deleting import add_dependants, delete_units
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit, Mention, Relationship
from banks.models.of_bank import OfBankQuerySet
from banks.retain.answers import forget_answers
from memoryplatform.operations.account.llm_log import delete_old_requests
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.banks.retention import schedule_maintenance
from memoryplatform.operations.documents import forget_payloads
from memoryplatform.operations.engine_choice import find_cached_llm
from memoryplatform.operations.idempotency import forget_old_records
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.mental_models import follow_closed_units, submit_scheduled_refreshes
from memoryplatform.operations.models import Operation
from memoryplatform.operations.observation_refreshes import ask_for_refresh, mark_and_refresh
from memoryplatform.operations.running.kind_names import NIGHTLY_MAINTENANCE
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank, perform_steps
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.llm.protocol import Task
from providers.registry import get_embedder
from providers.usage import Usage
from reflection.forgetting.archive import delete_archive, find_archive_sources, lock_documents
from reflection.forgetting.duplicate_observations import choose_duplicates, find_similar_pairs, unite_duplicates
from reflection.forgetting.month_summaries import find_months, store_summary, summarise_month
from reflection.forgetting.retention_rules import fade_units, find_expired
from reflection.forgetting.shortened_texts import find_bare_texts, store_vectors
from reflection.models import RetentionRule
from tenants.audit import SYSTEM, record
from tenants.usage import add_up_storage, sum_usage_days

logger = logging.getLogger(__name__)

BATCH = 500
ANSWERS_KEPT = timedelta(days=7)
FIRST_LOOK_BACK = timedelta(days=2)  # for scheduled ends, in the first maintenance of a bank

Figures = dict[str, int]
NO_FIGURES: Figures = {}


@operation_kind(NIGHTLY_MAINTENANCE, queue="background")
@ends_with_its_bank
def maintain_bank(run: Run) -> dict[str, Any]:
    """The next night is scheduled before anything can fail, so one failed night does not stop the rules of a bank."""
    bank = load_bank(run)
    with run.transaction():
        schedule_maintenance(bank)
        ask_for_refresh(bank)
        submit_scheduled_refreshes(bank)
    return perform_steps(run, {stage: partial(step, run, bank) for stage, step in STEPS.items()})


def fade_old_units(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    now = timezone.now()
    with run.transaction():
        rules = RetentionRule.objects.of_bank(bank).filter(enabled=True, action=RetentionRule.Action.FADE)
        faded = fade_units(bank, list(rules), now=now)
        rules.update(applied_at=now)
    return Usage(), {"faded": faded.faded, "restored": faded.restored}


def delete_old_answers(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Deletes cached answers of models, stored answers to idempotent requests, and logged LLM requests."""
    now = timezone.now()
    with run.transaction():
        forget_answers(bank.tenant_id, before=now - ANSWERS_KEPT)
        forget_old_records(bank.tenant_id, now=now)
        delete_old_requests(bank.tenant_id, now=now)
    return Usage(), NO_FIGURES


def delete_old_units(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    now, deleted = timezone.now(), 0
    with run.transaction():
        rules = list(find_deleting_rules(bank).values_list("id", flat=True))
    for rule_id in rules:
        while batch := delete_batch(run, bank, rule_id, now):
            deleted += batch
    return Usage(), {"deleted": deleted}


def find_deleting_rules(bank: Bank) -> OfBankQuerySet[RetentionRule]:
    return RetentionRule.objects.of_bank(bank).filter(enabled=True, action=RetentionRule.Action.DELETE)


def delete_batch(run: Run, bank: Bank, rule_id: UUID, now: datetime) -> int:
    """Deletes memories with the part of the archive that only they were taken from. Recall would return it as raw
    passages.

    The rule is read again for every batch, so that a change or a switch-off counts at once.
    """
    with run.transaction():
        rule = find_deleting_rules(bank).filter(id=rule_id).first()
        if rule is None:
            return 0
        expired = find_expired(bank, rule, now=now).order_by("id").values_list("id", flat=True)
        lock_documents(bank, expired[:BATCH])
        lock_memory(bank)
        if Bank.objects.for_tenant(run.tenant_id).filter(id=bank.id, held_since__isnull=False).exists():
            return 0
        ids = set(expired[:BATCH])
        sources = find_archive_sources(bank, add_dependants(bank, ids))
        removed = delete_units(bank, ids)
        deleted = delete_archive(bank, sources)
        for document in deleted.empty_documents:
            forget_payloads(bank, document)
            document.delete()
        removed += deleted.removed
        if rule.network == Network.OBSERVATION:  # the rule must not cause new observations of the same entities
            removed = replace(removed, touched_entities=frozenset())
        follow_deletion(bank, removed)
        RetentionRule.objects.of_bank(bank).filter(id=rule.id).update(applied_at=now)
        if ids:
            detail = {"rule": rule.name, "memories": removed.units, "chunks": removed.chunks}
            detail |= {"messages": deleted.messages, "documents": len(deleted.empty_documents)}
            record(run.tenant_id, actor=SYSTEM, action="memories.expired", target=f"bank:{bank.bank_id}", detail=detail)
        return len(ids)


def follow_scheduled_ends(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Facts and relationships whose scheduled end passed since the last maintenance are no longer current.
    Descriptions, observations and mental models that still tell them are renewed.
    """
    with run.transaction():
        lock_memory(bank)
        now = timezone.now()
        passed = {"expired_at": None, "valid_until__gt": find_last_maintenance(bank, now), "valid_until__lte": now}
        units = list(
            MemoryUnit.objects.of_bank(bank).filter(network__in=FACTUAL, **passed).values_list("id", flat=True)
        )
        edges = Relationship.objects.for_tenant(bank.tenant_id).filter(bank=bank, **passed)
        mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=units)
        touched = {one for ends in edges.values_list("subject_id", "object_id") for one in ends if one}
        touched |= set(mentions.values_list("entity_id", flat=True))
        if units or touched:
            empty_descriptions(bank, touched)
            mark_and_refresh(bank, touched, is_altered=True)
            follow_closed_units(bank, units)
    return Usage(), {"ended": len(units)}


def find_last_maintenance(bank: Bank, now: datetime) -> datetime:
    done = Operation.objects.for_tenant(bank.tenant_id).filter(
        kind=NIGHTLY_MAINTENANCE, bank=bank, status=Operation.Status.COMPLETED
    )
    last: datetime | None = done.aggregate(last=Max("started_at"))["last"]
    return last or now - FIRST_LOOK_BACK


def embed_shortened_texts(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Embeds chunks and episodes that a deletion shortened, in this night or in one that broke off."""
    with run.transaction():
        texts = find_bare_texts(bank)
    if not texts:
        return Usage(), NO_FIGURES
    batch = embed_rows(get_embedder(bank.embedding_model), [one.texts for one in texts])
    with run.transaction():
        lock_memory(bank)
        store_vectors(bank, texts, batch.vectors)
    return batch.usage, NO_FIGURES


def unite_observations(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    llm = find_cached_llm(run.tenant_id, Task.JUDGE)
    if llm is None:
        return Usage(), {"united": 0}
    with run.transaction():
        pairs = find_similar_pairs(bank)
    try:
        duplicates = choose_duplicates(pairs, llm)
    except (LLMRefused, MalformedAnswer) as failure:
        return read_usage_of(failure), {"united": 0}
    with run.transaction():
        lock_memory(bank)
        united = unite_duplicates(bank, duplicates.pairs, actor=NIGHTLY_MAINTENANCE, now=timezone.now())
    return duplicates.usage, {"united": united}


def summarise_months(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """A month that the model refuses is tried again the next night. It holds up no other month."""
    llm, usage, written, refused = find_cached_llm(run.tenant_id, Task.OBSERVE), Usage(), 0, 0
    if llm is None:
        return usage, {"summaries": 0, "summaries_refused": 0}
    with run.transaction():
        months = find_months(bank, now=timezone.now())
    for month in months:
        try:
            summary = summarise_month(month, llm)
        except (LLMRefused, MalformedAnswer) as failure:
            usage, refused = usage + read_usage_of(failure), refused + 1
            continue
        batch = get_embedder(bank.embedding_model).embed_documents([summary.text])
        usage += summary.usage + batch.usage
        with run.transaction():
            lock_memory(bank)
            if store_summary(bank, month, summary.text, batch.vectors[0], now=timezone.now()) is not None:
                written += 1
    return usage, {"summaries": written, "summaries_refused": refused}


def read_usage_of(failure: LLMRefused | MalformedAnswer) -> Usage:
    """Raises a failure that concerns the key or the endpoint: the whole night is tried again then."""
    if not concerns_content(failure):
        raise failure
    logger.warning("The model gave no usable answer in a nightly maintenance: %s", failure)
    return failure.usage if isinstance(failure, MalformedAnswer) else Usage()


def sum_usage(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Adds up the usage of the tenant. The first bank of a night does it, and the others find nothing left to do."""
    with run.transaction():
        sum_usage_days(bank.tenant_id)
        add_up_storage(bank.tenant_id)
    return Usage(), NO_FIGURES


def fill_other_vectors(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    return fill_both_columns(bank, run.lease.operation_id, older_rows=True), NO_FIGURES


STEPS: dict[str, Callable[[Run, Bank], tuple[Usage, Figures]]] = {
    "summing usage": sum_usage,
    "fading": fade_old_units,
    "deleting": delete_old_units,
    "deleting old answers": delete_old_answers,
    "following scheduled ends": follow_scheduled_ends,
    "embedding shortened texts": embed_shortened_texts,
    "uniting observations": unite_observations,
    "summarising months": summarise_months,
    "filling both columns of vectors": fill_other_vectors,
}
