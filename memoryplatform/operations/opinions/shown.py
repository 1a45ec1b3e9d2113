"""One opinion with its history: what it was formed on, what moved it since, and how each of that stands to it now."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.described_units import DescribedUnit
from memoryplatform.operations.opinions.lists import ListedOpinion, find_revisions, get_opinion, list_opinions
from memoryplatform.operations.opinions.revision_evidence import ShownGround, ShownRevision, show_revisions
from memoryplatform.operations.opinions.seen import OF_ALL, TagView, find_hidden
from reflection.models import OpinionRevision
from reflection.opinions.history.turning import FORMATION, Stance, find_stance, find_turn
from tenants.transactions import tenant_transaction

FORMED_ON = "formed"


@dataclass(frozen=True)
class Evidence:
    """A fact with its text of then, and what it did: the cause of the step that came from it. `at` is when it did that.

    `revision` is the number of that step, None where nothing tells it; `taken_back`: it does that no more. `stance` is
    what it says of the present text.
    """

    unit: MemoryUnit
    text: str
    bearing: str
    at: datetime
    revision: int | None = None
    taken_back: bool = False
    stance: Stance = "for"


@dataclass(frozen=True)
class ShownOpinion:
    """`is_turned`: it does not say any more what it was formed as. `hidden_evidence` is how many facts the caller does
    not see.
    """

    listed: ListedOpinion
    evidence: tuple[Evidence, ...]
    is_turned: bool = False
    hidden_evidence: int = 0


def show_opinion(access: BankAccess, bank_id: str, opinion_id: UUID, view: TagView = OF_ALL) -> ShownOpinion:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        return show(bank, get_opinion(bank, opinion_id, view), view)


def show(bank: Bank, opinion: MemoryUnit, view: TagView = OF_ALL) -> ShownOpinion:
    (listed,) = list_opinions(bank, [opinion], view)
    steps = show_revisions(bank, list(find_revisions(bank, opinion.id)))
    turn = find_turn([step.revision for step in steps])
    evidence = read_evidence(bank, listed.described, steps, turn)
    rested_on = {one.other_unit_id for one in listed.described.sources if one.other_unit_id}
    facts = rested_on | {one.unit.id for one in evidence}
    seen = view.find_seen(bank, facts)
    sources = tuple(one for one in listed.described.sources if not one.other_unit_id or one.other_unit_id in seen)
    return ShownOpinion(
        replace(listed, described=replace(listed.described, sources=sources)),
        tuple(one for one in evidence if one.unit.id in seen),
        turn > FORMATION,
        len(facts - seen),
    )


def read_evidence(bank: Bank, described: DescribedUnit, steps: Sequence[ShownRevision], turn: int) -> list[Evidence]:
    """What it was formed on, then what moved it, step by step. A fact that bore on two steps is there twice."""
    shown = [
        show_evidence(step.revision, one, find_stance(step.revision, turn, text=described.unit.text))
        for step in steps
        for one in step.evidence
        if step.revision.cause != OpinionRevision.Cause.WITHDRAWN
    ]
    stance: Stance = "former" if turn > FORMATION else "for"
    return [*read_unexplained(bank, described, {one.unit.id for one in shown}, stance=stance), *shown]


def show_evidence(revision: OpinionRevision, ground: ShownGround, stance: Stance) -> Evidence:
    return Evidence(
        ground.unit,
        ground.text,
        revision.cause,
        revision.created_at,
        revision.number,
        ground.taken_back,
        stance,
    )


def read_unexplained(bank: Bank, described: DescribedUnit, explained: set[UUID], *, stance: Stance) -> list[Evidence]:
    """Facts that it rests on and that no step names, from an old export: it was formed on them."""
    ids = [one.other_unit_id for one in described.sources if one.other_unit_id and one.other_unit_id not in explained]
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).defer("embedding").in_bulk() if ids else {}
    formed_at = described.unit.recorded_at
    return [Evidence(units[one], units[one].text, FORMED_ON, formed_at, stance=stance) for one in ids]


def show_steps(
    bank: Bank, opinion: MemoryUnit, revisions: Sequence[OpinionRevision], view: TagView
) -> list[ShownRevision]:
    """A page of its history. Call inside a tenant transaction."""
    hidden = find_hidden(bank, opinion, view)
    return [hidden.leave_out(step) for step in show_revisions(bank, revisions)]
