"""A pinned opinion that the agent itself doubts by now: it stays as it is, and a person is to look at it."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.revisions import Before, Step, write_step

OTHERWISE = "The agent thinks otherwise by now: "


def note_contradiction(bank: Bank, opinion_id: UUID, evidence_ids: Sequence[UUID], *, text: str, actor: str) -> None:
    """A step of length 0 that names what speaks against it. Call inside a tenant transaction, after `lock_memory`.

    Evidence that stands in its history already was reviewed with that, and is not brought again.
    """
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id, evidence_id__in=evidence_ids)
    used = set(rows.values_list("evidence_id", flat=True))
    fresh = next((one for one in evidence_ids if one not in used), None)
    if fresh is None:
        return
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    step = Step(OpinionRevision.Cause.CONTRADICT, actor, f"{OTHERWISE}{text}", step=0.0, evidence_id=fresh)
    write_step(bank, opinion, Before.of(opinion), step)
