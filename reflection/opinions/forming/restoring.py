"""A person brings back an opinion: of one matter one verdict is held, so what says the opposite gives way to it."""

import numpy as np

from banks.errors import MemoryState
from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.forming.overruling import close
from reflection.opinions.forming.turning_round import find_opposed_to
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.tagging import Said, may_read, read_own_tags

RESTORED = "A person restored the opposite"


def take_place_again(bank: Bank, opinion: MemoryUnit, *, actor: str) -> None:
    """Call inside the tenant transaction that restored it, after `lock_memory`. What is pinned gives way to nobody: a
    person must first decide which of the two is held.
    """
    vector = None if opinion.embedding is None else np.asarray(opinion.embedding, dtype=np.float32)
    opposed = [one for one in find_opposed_to(bank, opinion, opinion.text, vector) if not one.is_retired]
    if pinned := next((one for one in opposed if one.is_pinned), None):
        raise MemoryState(f"Opinion {pinned.id} is pinned and says the opposite: unpin or retire it first.")
    said = Said(opinion.text, read_own_tags(bank, opinion))
    held = MemoryUnit.objects.of_bank(bank).current().filter(id__in=[one.id for one in opposed])
    for other in held.order_by("id"):
        step = Step(OpinionRevision.Cause.REVISED, actor, tell_restored(said, bank, other))
        write_step(bank, other, Before.of(other), step)
        close(bank, other, opinion.id, actor=actor)


def tell_restored(said: Said, bank: Bank, other: MemoryUnit) -> str:
    """With its words, where all who see the other may see these."""
    return f"{RESTORED}: {said.text}" if may_read(read_own_tags(bank, other), said.tags) else f"{RESTORED}."
