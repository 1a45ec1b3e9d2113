"""Consequences of a deletion: everything that was derived from the memories is deleted or refreshed."""

from dataclasses import replace
from uuid import UUID

from banks.lifecycle.deleting import Removed
from banks.models import Bank
from banks.retain.answers import forget_answers
from memoryplatform.operations.idempotency import forget_answers_about
from memoryplatform.operations.mental_models import refresh_lost_models
from memoryplatform.operations.models import LLMRequest
from memoryplatform.operations.observation_refreshes import mark_and_refresh
from memoryplatform.operations.opinion_weighings import withdraw_deleted_evidence
from reflection.opinions.lost_evidence import ACTOR
from reflection.opinions.scrubbing import delete_unsourced, scrub_former_texts
from reflection.retagging import follow_retagged


def follow_deletion(bank: Bank, removed: Removed, *, actor: str = ACTOR) -> Removed:
    """Returns everything that was removed in the end. `actor` deleted the memories.

    Call inside the tenant transaction of the deletion, after `lock_memory`.
    """
    total = forget_more(bank, removed)
    withdraw_deleted_evidence(bank, actor=actor)
    follow_replacement(bank, total, actor=actor)
    refresh_lost_models(bank)
    return total


def forget_more(bank: Bank, removed: Removed) -> Removed:
    scrub_former_texts(bank, removed.less_sourced)
    settled = replace(removed, unsourced=frozenset(), less_sourced=frozenset())
    return settled + delete_unsourced(bank, removed.unsourced)


def follow_replacement(bank: Bank, removed: Removed, *, actor: str = ACTOR) -> None:
    """The consequences that can't wait for the consolidation after a document's text was replaced.

    Texts that may quote the former text are deleted, even if other sources state the same facts. Call inside the
    transaction that removed the text.
    """
    removed = forget_more(bank, removed)
    if removed.retagged:
        follow_retagged(bank, removed.retagged, actor=actor)
    if removed.units or removed.chunks or removed.retagged:
        forget_quotations(bank.tenant_id, bank.bank_id)
    if removed.touched_entities:
        mark_and_refresh(bank, removed.touched_entities, is_altered=True)


def forget_quotations(tenant_id: UUID, bank_key: str) -> None:
    """Deletes recorded responses, cached answers of models and logged LLM requests. They may quote what was deleted.

    Call inside the tenant transaction of the deletion. Those that are still being made are not stored after it.
    """
    forget_answers_about(tenant_id, bank_key)
    forget_answers(tenant_id)
    LLMRequest.objects.for_tenant(tenant_id).filter(bank_key__in=["", bank_key]).delete()
