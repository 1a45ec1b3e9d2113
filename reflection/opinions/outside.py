"""Changes that reach an opinion as they reach any memory: edited, closed or restored at the memories' own address."""

from banks.models import Bank, MemoryUnit
from reflection.models import OpinionRevision
from reflection.opinions.replay import OpinionState, replay
from reflection.opinions.revisions import Before, Step, read_revisions, write_step

Cause = OpinionRevision.Cause


def note_outside_change(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> None:
    """Bring an opinion's history in line with the row. Call inside the tenant transaction of the change, after it.

    What closes it by hand retires it, and what restores it restores it: a person did either.
    """
    if unit.network != MemoryUnit.Network.OPINION:
        return
    revisions = read_revisions(bank, unit.id)
    state = replay(revisions) if revisions else OpinionState(unit.text, unit.confidence or 0.0, unit.review)
    before = Before(state.text, state.confidence)
    if (unit.text, unit.confidence) != (state.text, state.confidence):
        write_step(bank, unit, before, Step(Cause.EDITED, actor, reason))
    cause = find_mark(unit, state)
    if cause is not None:
        unit.review = MemoryUnit.Review.RETIRED if cause is Cause.RETIRED else state.laid_aside
        unit.save(update_fields=["review"])
        write_step(bank, unit, Before.of(unit), Step(cause, actor, reason))


def find_mark(unit: MemoryUnit, state: OpinionState) -> Cause | None:
    is_retired = state.review == MemoryUnit.Review.RETIRED
    if unit.expired_at is not None and not is_retired:
        return Cause.RETIRED
    return Cause.RESTORED if unit.expired_at is None and is_retired else None
