"""Changes by hand at the memories' own address: of an opinion, or of a fact that opinions rest on."""

from collections.abc import Sequence

from django.utils import timezone

from banks.models import Bank, MemoryUnit, UnitChange
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.evidence import FACTS
from reflection.opinions.forming.restoring import WRITTEN, take_place_again
from reflection.opinions.history.replay import OpinionState, find_restored_mark, replay
from reflection.opinions.history.retold import take_back_edited
from reflection.opinions.history.revisions import Before, Step, read_revisions, write_step
from reflection.opinions.history.withdrawing import withdraw_lost_evidence
from reflection.opinions.naming_anew import NewWords, name_anew
from reflection.opinions.review import check_wording

Cause = OpinionRevision.Cause


def note_outside_change(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str = "") -> bool:
    """Bring opinions in line with the row. Call inside the tenant transaction of the change, after it.

    Whether a consolidation should follow: a fact that is to be weighed anew, an opinion whose text went back, or one
    that is restored and may have missed facts.
    """
    if unit.network == Network.OPINION:
        return note_own_change(bank, unit, actor=actor, reason=reason)
    return unit.network in FACTS and follow_fact(bank, unit, actor=actor)


def follow_fact(bank: Bank, fact: MemoryUnit, *, actor: str) -> bool:
    """A correction takes back what the fact did; under another text, or restored, it may move opinions again."""
    now = timezone.now()
    if fact.expired_at is not None:
        return withdraw_lost_evidence(bank, now=now, actor=actor).unembedded > 0
    take_back_edited(bank, fact, now=now, actor=actor)
    last = find_last_change(bank, fact)
    return last is not None and (last.action == UnitChange.Action.RESTORED or "text" in last.before)


def note_own_change(bank: Bank, unit: MemoryUnit, *, actor: str, reason: str) -> bool:
    """What closes it by hand retires it, and what restores it restores it: a person did either.

    Whether evidence may move it again.
    """
    revisions = read_revisions(bank, unit.id)
    state = replay(revisions) if revisions else read_former_state(bank, unit)
    before = Before(state.text, state.confidence)
    if unit.text != state.text:
        check_wording(unit.text)
        name_anew(bank, unit, NewWords(unit.text, state.text))
        take_place_again(bank, unit, actor=actor, why=WRITTEN)
    if (unit.text, unit.confidence) != (state.text, state.confidence):
        write_step(bank, unit, before, Step(Cause.EDITED, actor, reason))
    cause = find_mark(unit, state, is_restored=is_newly_restored(bank, unit, revisions))
    if cause is Cause.RESTORED:
        take_place_again(bank, unit, actor=actor)
    if cause is not None:
        unit.review = MemoryUnit.Review.RETIRED if cause is Cause.RETIRED else find_restored_mark(state)
        unit.save(update_fields=["review"])
        write_step(bank, unit, Before.of(unit), Step(cause, actor, reason))
    return cause is Cause.RESTORED and unit.review != MemoryUnit.Review.PINNED


def find_last_change(bank: Bank, unit: MemoryUnit) -> UnitChange | None:
    return UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=unit).order_by("-changed_at", "-id").first()


def read_former_state(bank: Bank, unit: MemoryUnit) -> OpinionState:
    """Of an opinion that has no history yet: what it was when it was said, before the change that is to be noted."""
    last = find_last_change(bank, unit)
    before = last.before if last and last.action == UnitChange.Action.EDITED else {}
    return OpinionState(before.get("text", unit.text), before.get("confidence", unit.confidence) or 0.0, unit.review)


def find_mark(unit: MemoryUnit, state: OpinionState, *, is_restored: bool) -> Cause | None:
    """Also what gave way to another opinion can be restored, though no mark tells that it was closed."""
    is_retired = state.review == MemoryUnit.Review.RETIRED
    if unit.expired_at is not None:
        return None if is_retired else Cause.RETIRED
    return Cause.RESTORED if is_retired or is_restored else None


def is_newly_restored(bank: Bank, unit: MemoryUnit, revisions: Sequence[OpinionRevision]) -> bool:
    """Whether it was brought back since the last step of its history."""
    last = find_last_change(bank, unit)
    if last is None or last.action != UnitChange.Action.RESTORED:
        return False
    return all(one.created_at < last.changed_at for one in revisions if one.cause == Cause.RESTORED)
