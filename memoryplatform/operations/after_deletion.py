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
    mark_lost_facts(bank, removed)
    renew_bereft(bank)
    if removed.units:
        forget_answers(bank.tenant_id)


def mark_lost_facts(bank: Bank, removed: Removed) -> None:
    """Observations of the entities that the deleted facts were about. Call inside the transaction that deleted them."""
    if removed.touched_entities:
        mark_stale(bank, removed.touched_entities, now=timezone.now())
        ask_for_refresh(bank)
