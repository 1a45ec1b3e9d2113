"""What follows a deletion of memories: what was made of them goes too, or is made anew."""

from django.utils import timezone

from banks.lifecycle.delete import Removed
from banks.models import Bank
from banks.retain.answers import forget_answers
from memoryplatform.operations.idempotency import forget_answers_about
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.lost_evidence import take_back_lost_evidence
from memoryplatform.operations.mental_model_refreshes import renew_bereft
from reflection.observations.marking import mark_stale


def follow_deletion(bank: Bank, removed: Removed) -> None:
    """Call inside the tenant transaction that deleted them, after `lock_memory`."""
    forget_answers_about(bank.tenant_id, bank.bank_id)
    take_back_lost_evidence(bank)
    follow_replacement(bank, removed)
    renew_bereft(bank)


def follow_replacement(bank: Bank, removed: Removed) -> None:
    """What is due at once where an earlier text of a document went; the rest is a consolidation's.

    Answers of models may quote it, also where the facts that it told are told elsewhere too. Call inside the
    transaction that deleted it.
    """
    if removed.units or removed.chunks:
        forget_answers(bank.tenant_id)
    if removed.touched_entities:
        mark_stale(bank, removed.touched_entities, now=timezone.now(), is_altered=True)
        ask_for_refresh(bank)
