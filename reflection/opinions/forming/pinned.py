"""A pinned opinion that the agent itself doubts by now: it stays as it is, and a person is to look at it."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.evidence import find_moved
from reflection.opinions.history.revisions import Before, Step, write_step

OTHERWISE = "The agent thinks otherwise by now: "


def note_contradiction(bank: Bank, opinion_id: UUID, evidence_ids: Sequence[UUID], *, text: str, actor: str) -> None:
    """A step of length 0 that names what speaks against it. Call inside a tenant transaction, after `lock_memory`.

    Evidence that stands in its history already was reviewed with that, and is not brought again.
    """
    moved = find_moved(bank, opinion_id)
    fresh = tuple(one for one in evidence_ids if one not in moved)
    if not fresh:
        return
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    reasoning = f"{OTHERWISE}{text}"
    step = Step(OpinionRevision.Cause.CONTRADICT, actor, reasoning, 0.0, fresh, in_view=tuple(evidence_ids))
    write_step(bank, opinion, Before.of(opinion), step)
