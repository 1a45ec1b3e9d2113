"""What follows a deletion of memories: what was made of them goes too, or is made anew."""

from dataclasses import replace

from django.utils import timezone

from banks.lifecycle.delete import Removed
from banks.models import Bank
from banks.retain.answers import forget_answers
from memoryplatform.operations.idempotency import forget_answers_about
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.mental_models.refreshes import renew_bereft
from memoryplatform.operations.opinions.lost_evidence import take_back_lost_evidence
from reflection.observations.marking import mark_stale
from reflection.opinions.history.former_words import forget_former_words
from reflection.opinions.history.untold import forget_untold
from reflection.opinions.history.withdrawing import ACTOR
from reflection.retagging import follow_retagged


def follow_deletion(bank: Bank, removed: Removed, *, actor: str = ACTOR) -> Removed:
    """All that went in the end. Call inside the tenant transaction that deleted them, after `lock_memory`. `actor` is
    who did.
    """
    total = forget_more(bank, removed)
    take_back_lost_evidence(bank, actor=actor)
    follow_replacement(bank, total, actor=actor)
    renew_bereft(bank)
    return total


def forget_more(bank: Bank, removed: Removed) -> Removed:
    forget_former_words(bank, removed.less_told)
    settled = replace(removed, untold=frozenset(), less_told=frozenset())
    return settled + forget_untold(bank, removed.untold)


def follow_replacement(bank: Bank, removed: Removed, *, actor: str = ACTOR) -> None:
    """What is due at once where an earlier text of a document went; the rest is a consolidation's.

    Answers may quote it, those of models and those that are kept for requests that come again, also where the facts
    that it told are told elsewhere too. Call inside the transaction that deleted it.
    """
    removed = forget_more(bank, removed)
    if removed.retagged:
        follow_retagged(bank, removed.retagged, actor=actor)
    if removed.units or removed.chunks or removed.retagged:
        forget_answers_about(bank.tenant_id, bank.bank_id)
        forget_answers(bank.tenant_id)
    if removed.touched_entities:
        mark_stale(bank, removed.touched_entities, now=timezone.now(), is_altered=True)
        ask_for_refresh(bank)
