"""What a deletion or a change of memories means for the opinions that they had moved."""

from collections.abc import Collection
from uuid import UUID

from django.utils import timezone

from banks.models import Bank, MemoryUnit
from banks.retain.post_retain import PostRetain
from banks.words import Network
from memoryplatform.operations.kinds.consolidate import hand_over_unpinned
from memoryplatform.operations.running.kind_names import CONSOLIDATE
from memoryplatform.operations.running.submit import submit
from reflection.opinions.history.withdrawing import ACTOR, withdraw_lost_evidence
from reflection.opinions.weighing.parting import take_back_parted


def take_back_lost_evidence(bank: Bank, *, actor: str = ACTOR) -> None:
    """Call inside the tenant transaction of a deletion, after it, with `lock_memory` held. `actor` is who deleted.

    An opinion whose text went back is embedded by an operation: no model is asked inside a transaction.
    """
    withdrawn = withdraw_lost_evidence(bank, now=timezone.now(), actor=actor)
    if withdrawn.unembedded:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain().write(), bank=bank)


def take_back_parted_evidence(bank: Bank, entity_ids: Collection[UUID], *, actor: str) -> None:
    """Call inside the tenant transaction that split an entity into these, with `lock_memory` held."""
    parted = take_back_parted(bank, entity_ids, now=timezone.now(), actor=actor)
    if parted:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain(unit_ids=tuple(sorted(parted))).write(), bank=bank)


def weigh_anew(bank: Bank, unit: MemoryUnit) -> None:
    """Call inside the tenant transaction that changed it by hand: a fact may bear on opinions otherwise by now, and
    facts may bear on an opinion that is held again.
    """
    if unit.network == Network.OPINION:
        hand_over_unpinned(bank, unit.id)
    else:
        submit(bank.tenant_id, CONSOLIDATE, payload=PostRetain(unit_ids=(unit.id,)).write(), bank=bank)
