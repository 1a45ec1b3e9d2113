"""A pinned opinion that the agent itself doubts by now: it stays as it is, and a person is to look at it."""

from collections.abc import Sequence
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.evidence import find_moved
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.tagging import Said, Tags, may_read, read_own_tags

OTHERWISE = "The agent thinks otherwise by now"


def tell_otherwise(said: Said, reader: Tags) -> str:
    """With what it thinks, where all who see the opinion may see that."""
    return f"{OTHERWISE}: {said.text}" if may_read(reader, said.tags) else f"{OTHERWISE}."


def note_contradiction(bank: Bank, opinion_id: UUID, evidence_ids: Sequence[UUID], *, said: Said, actor: str) -> None:
    """A step of length 0 that names what speaks against it. Call inside a tenant transaction, after `lock_memory`.

    Evidence that stands in its history already was reviewed with that, and is not brought again.
    """
    moved = find_moved(bank, opinion_id)
    fresh = tuple(one for one in evidence_ids if one not in moved)
    if not fresh:
        return
    opinion = MemoryUnit.objects.of_bank(bank).get(id=opinion_id)
    reasoning = tell_otherwise(said, read_own_tags(bank, opinion))
    step = Step(OpinionRevision.Cause.CONTRADICT, actor, reasoning, 0.0, fresh, in_view=tuple(evidence_ids))
    write_step(bank, opinion, Before.of(opinion), step)
