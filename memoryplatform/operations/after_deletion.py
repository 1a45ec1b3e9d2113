"""What follows the deletion of memories: what they did to opinions is taken back, and observations are made anew."""

from django.utils import timezone

from banks.lifecycle.delete import Removed
from banks.models import Bank
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.lost_evidence import take_back_lost_evidence
from reflection.observations.marking import mark_stale


def follow_deletion(bank: Bank, removed: Removed) -> None:
    """Call inside the tenant transaction that deleted them, after `lock_memory`."""
    take_back_lost_evidence(bank)
    mark_stale(bank, removed.touched_entities, now=timezone.now())
    ask_for_refresh(bank)
