"""What is done for a bank every night: its retention rules, twins among its observations, old episodes in short."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from banks.lifecycle.delete import Removed, add_dependants, delete_units
from banks.locking import lock_memory
from banks.models import Bank
from banks.retain.answers import forget_answers, open_answers
from banks.words import Network
from memoryplatform.operations.announced_ends import ask_for_closing
from memoryplatform.operations.banks.nights import ask_for_tending
from memoryplatform.operations.documents import forget_payloads
from memoryplatform.operations.idempotency import forget_old_records
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.ending_with_banks import ends_with_its_bank
from memoryplatform.operations.running.kind_names import TEND_BANK
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run
from providers.llm.prompting.cache import CachedLLM
from providers.registry import find_llm, get_embedder
from providers.usage import Usage
from reflection.forgetting.archive import Forgotten, forget_archive
from reflection.forgetting.embedding import find_bare_texts, store_vectors
from reflection.forgetting.fading import fade
from reflection.forgetting.old_episodes import find_months, store_summary
from reflection.forgetting.rules import find_expired
from reflection.forgetting.summarising import BuiltinSummariser, FallbackSummariser, LLMSummariser, Summariser
from reflection.forgetting.told_from import find_told_from, lock_documents
from reflection.forgetting.twins import unite_twins
from reflection.models import RetentionRule
from reflection.models.retention_rule import RetentionRuleQuerySet
from tenants.audit import SYSTEM, record
from tenants.models import UsageRecord
from tenants.usage import record_usage

BATCH = 500
ANSWERS_KEPT = timedelta(days=7)

Figures = dict[str, int]


@operation_kind(TEND_BANK, queue="background")
@ends_with_its_bank
def tend_bank(run: Run) -> dict[str, Any]:
    """Each step commits by itself and finds nothing left to do when it is run again.

    The next night is asked for before anything can fail: the rules of a bank don't stop with one bad night.
    """
    bank = load_bank(run)
    with run.transaction():
        ask_for_tending(bank)
        ask_for_refresh(bank)  # of what is due and nobody has asked for
        ask_for_closing(bank)
    usage, result = Usage(), dict[str, int]()
    for done, (stage, step) in enumerate(STEPS.items()):
        run.report(stage, processed=done, total=len(STEPS))
        spent, figures = step(run, bank)
        usage += spent
        result |= figures
    with run.transaction() as operation:
        record_usage(
            run.tenant_id, UsageRecord.Kind.CONSOLIDATE, usage, bank_id=bank.bank_id, operation_id=operation.id
        )
        run.complete(operation, result)
    return result


def fade_old(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    now = timezone.now()
    with run.transaction():
        rules = RetentionRule.objects.of_bank(bank).filter(enabled=True, action=RetentionRule.Action.FADE)
        faded = fade(bank, list(rules), now=now)
        rules.update(applied_at=now)
    return Usage(), {"faded": faded.faded, "restored": faded.restored}


def forget_old_answers(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Those of models, and those that are kept for requests that come again."""
    now = timezone.now()
    with run.transaction():
        forget_answers(bank.tenant_id, before=now - ANSWERS_KEPT)
        forget_old_records(bank.tenant_id, now=now)
    return Usage(), {}


def delete_old(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    now, deleted = timezone.now(), 0
    with run.transaction():
        rules = list(find_deleting(bank).values_list("id", flat=True))
    for rule_id in rules:
        while batch := delete_batch(run, bank, rule_id, now):
            deleted += batch
    return Usage(), {"deleted": deleted}


def find_deleting(bank: Bank) -> RetentionRuleQuerySet:
    return RetentionRule.objects.of_bank(bank).filter(enabled=True, action=RetentionRule.Action.DELETE)


def delete_batch(run: Run, bank: Bank, rule_id: UUID, now: datetime) -> int:
    """With what of the archive was the source of these memories alone: else recall would bring it as raw passages.

    The rule is read anew: whoever changed it or switched it off meanwhile is heard.
    """
    with run.transaction():
        rule = find_deleting(bank).filter(id=rule_id).first()
        if rule is None:
            return 0
        expired = find_expired(bank, rule, now=now).order_by("id").values_list("id", flat=True)
        lock_documents(bank, expired[:BATCH])
        lock_memory(bank)
        ids = set(expired[:BATCH])
        told_from = find_told_from(bank, add_dependants(bank, ids))
        removed = delete_units(bank, ids)
        forgotten = forget_archive(bank, told_from)
        for document in forgotten.empty_documents:
            forget_payloads(bank, document)
            document.delete()
        removed += forgotten.removed
        follow_deletion(bank, leave_unwritten(rule, removed))
        RetentionRule.objects.of_bank(bank).filter(id=rule.id).update(applied_at=now)
        if ids:
            detail = describe_expired(rule, removed, forgotten)
            record(run.tenant_id, actor=SYSTEM, action="memories.expired", target=f"bank:{bank.bank_id}", detail=detail)
        return len(ids)


def leave_unwritten(rule: RetentionRule, removed: Removed) -> Removed:
    """Who lets observations go wants no new ones of the same entities in their place."""
    is_about_observations = rule.network == Network.OBSERVATION
    return replace(removed, touched_entities=frozenset()) if is_about_observations else removed


def describe_expired(rule: RetentionRule, removed: Removed, forgotten: Forgotten) -> dict[str, object]:
    return {
        "rule": rule.name,
        "memories": removed.units,
        "chunks": removed.chunks,
        "messages": forgotten.messages,
        "documents": len(forgotten.empty_documents),
    }


def embed_shortened(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    """Passages and episodes that read otherwise since something of them was deleted, also by a night that broke off."""
    with run.transaction():
        texts = find_bare_texts(bank)
    if not texts:
        return Usage(), {}
    batch = get_embedder().embed_documents([one.text for one in texts])
    with run.transaction():
        lock_memory(bank)
        store_vectors(bank, texts, batch.vectors)
    return batch.usage, {}


def unite_observations(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    with run.transaction():
        lock_memory(bank)
        return Usage(), {"united": unite_twins(bank, actor=TEND_BANK, now=timezone.now())}


def sum_up_episodes(run: Run, bank: Bank) -> tuple[Usage, Figures]:
    summariser, usage, written, by_rules = choose_summariser(run), Usage(), 0, 0
    with run.transaction():
        months = find_months(bank, now=timezone.now())
    for month in months:
        summary = summariser.summarise(month)
        batch = get_embedder().embed_documents([summary.text])
        usage += summary.usage + batch.usage
        with run.transaction():
            lock_memory(bank)
            if store_summary(bank, month, summary.text, batch.vectors[0], now=timezone.now()) is not None:
                written, by_rules = written + 1, by_rules + summary.by_rules
    return usage, {"summaries": written, "summaries_by_rules": by_rules}


def choose_summariser(run: Run) -> Summariser:
    llm = find_llm()
    if llm is None:
        return BuiltinSummariser()
    return FallbackSummariser(LLMSummariser(CachedLLM(llm, open_answers(run.tenant_id))), BuiltinSummariser())


STEPS: dict[str, Callable[[Run, Bank], tuple[Usage, Figures]]] = {
    "fading": fade_old,
    "deleting": delete_old,
    "forgetting answers": forget_old_answers,
    "embedding what was shortened": embed_shortened,
    "uniting observations": unite_observations,
    "summing up episodes": sum_up_episodes,
}
