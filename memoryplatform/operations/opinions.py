"""What a caller does with a bank's opinions: list them, follow one through its history, review it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from banks.errors import MemoryChanged, MemoryNotFound
from banks.lifecycle.edit import UnitEdit, build_edited_text, read_state
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.vectors import embed_texts
from banks.words import Network
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.described_units import DescribedUnit, describe_units
from memoryplatform.operations.kinds.consolidate import hand_over_unpinned
from memoryplatform.operations.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.revision_evidence import ShownGround, ShownRevision, show_revisions
from memoryplatform.operations.seen_opinions import OF_ALL, TagView, find_hidden
from providers.embedding.vector import Vector
from providers.registry import get_embedder
from reflection.models import OpinionRevision
from reflection.opinions.history.revisions import count_steps
from reflection.opinions.history.turning import FORMATION, Stance, find_stance, find_turn
from reflection.opinions.review import Act, Review, review_opinion
from tenants.audit import record
from tenants.transactions import tenant_transaction

Marked = Literal["", "new", "approved", "pinned", "retired", "all"]

FORMED_ON = "formed"
MARKED = {"new": "", "approved": "approved", "pinned": "pinned", "retired": "retired"}


@dataclass(frozen=True)
class OpinionFilter:
    """Every condition must hold. Without `review` those that are held: all but the retired."""

    review: Marked = ""
    entity_id: UUID | None = None
    least_confidence: float = 0.0
    words: str = ""
    view: TagView = OF_ALL


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
class ListedOpinion:
    """`revision` is the number of the newest, `changed_at` its time. `superseded_by` is only told to who sees that."""

    described: DescribedUnit
    revision: int
    changed_at: datetime
    superseded_by: UUID | None = None

    @property
    def version(self) -> str:
        """What a reviewer sends back: another one as soon as anything has happened to it."""
        return f"{self.described.unit.id.hex}-{self.revision}"


@dataclass(frozen=True)
class ShownOpinion:
    """`is_turned`: it does not say any more what it was formed as. `hidden_evidence` is how many facts the caller does
    not see.
    """

    listed: ListedOpinion
    evidence: tuple[Evidence, ...]
    is_turned: bool = False
    hidden_evidence: int = 0


def find_opinions(bank: Bank, wanted: OpinionFilter) -> UnitQuerySet:
    """Call inside a tenant transaction."""
    is_past = wanted.review in {"retired", "all"}
    chosen = MemoryFilter(
        words=wanted.words,
        network=Network.OPINION,
        tags=wanted.view.tags,
        tags_match=wanted.view.tags_match,
        entity_id=wanted.entity_id,
        state="all" if is_past else "current",
    )
    units = find_units(bank, chosen).filter(confidence__gte=wanted.least_confidence)
    if is_past:
        begun = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk"))
        units = units.filter(Q(expired_at=None) | Exists(begun))  # what was refused never was an opinion
    if wanted.review in MARKED:
        units = units.filter(review=MARKED[wanted.review])
    return units.exclude(Exists(find_looks(bank))) if wanted.review == "new" else units


def find_looks(bank: Bank) -> QuerySet[OpinionRevision]:
    """Of people at the text that an opinion has now."""
    steps = OpinionRevision.objects.of_bank(bank).filter(cause__in=OpinionRevision.BY_PEOPLE)
    return steps.filter(opinion=OuterRef("pk"), text_after=OuterRef("text"))


def order_by_change(bank: Bank, units: UnitQuerySet) -> UnitQuerySet:
    """The last changed first: ids of revisions grow with time."""
    newest = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    return units.annotate(changed=Subquery(newest.values("id")[:1])).order_by("-changed", "-id")


def list_opinions(bank: Bank, units: Sequence[MemoryUnit], view: TagView = OF_ALL) -> list[ListedOpinion]:
    """Call inside a tenant transaction. A fixed number of statements for a page."""
    ids = [unit.id for unit in units]
    numbers = count_steps(bank, ids)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=ids).order_by("number")
    times = dict(rows.values_list("opinion_id", "created_at"))
    seen = view.find_seen(bank, {unit.superseded_by_id for unit in units if unit.superseded_by_id})
    return [
        ListedOpinion(
            one,
            numbers.get(one.unit.id, 0),
            times.get(one.unit.id, one.unit.recorded_at),
            one.unit.superseded_by_id if one.unit.superseded_by_id in seen else None,
        )
        for one in describe_units(bank, units)
    ]


def get_opinion(bank: Bank, opinion_id: UUID, view: TagView = OF_ALL) -> MemoryUnit:
    opinions = MemoryUnit.objects.of_bank(bank).filter(network=Network.OPINION)
    opinion = opinions.filter(id=opinion_id).first()
    if opinion is None or opinion_id not in view.find_seen(bank, [opinion_id]):
        raise MemoryNotFound(opinion_id)
    return opinion


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
        show_evidence(step.revision, one, turn)
        for step in steps
        for one in step.evidence
        if step.revision.cause != OpinionRevision.Cause.WITHDRAWN
    ]
    stance: Stance = "former" if turn > FORMATION else "for"
    return [*read_unexplained(bank, described, {one.unit.id for one in shown}, stance=stance), *shown]


def show_evidence(revision: OpinionRevision, ground: ShownGround, turn: int) -> Evidence:
    return Evidence(
        ground.unit,
        ground.text,
        revision.cause,
        revision.created_at,
        revision.number,
        ground.taken_back,
        find_stance(revision, turn),
    )


def read_unexplained(bank: Bank, described: DescribedUnit, explained: set[UUID], *, stance: Stance) -> list[Evidence]:
    """Facts that it rests on and that no step names, from an old export: it was formed on them."""
    ids = [one.other_unit_id for one in described.sources if one.other_unit_id and one.other_unit_id not in explained]
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).defer("embedding").in_bulk() if ids else {}
    formed_at = described.unit.recorded_at
    return [Evidence(units[one], units[one].text, FORMED_ON, formed_at, stance=stance) for one in ids]


def find_revisions(bank: Bank, opinion_id: UUID) -> QuerySet[OpinionRevision]:
    """The oldest first, each with its evidence. Call inside a tenant transaction."""
    get_opinion(bank, opinion_id)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).select_related("evidence")
    return rows.defer("evidence__embedding").order_by("number")


def show_steps(
    bank: Bank, opinion: MemoryUnit, revisions: Sequence[OpinionRevision], view: TagView
) -> list[ShownRevision]:
    """A page of its history. Call inside a tenant transaction."""
    hidden = find_hidden(bank, opinion, view)
    return [hidden.leave_out(step) for step in show_revisions(bank, revisions)]


def review(
    access: BankAccess, bank_id: str, opinion_id: UUID, given: Review, *, expected: frozenset[str] | None = None
) -> ShownOpinion:
    """`expected` are the versions that the reviewer takes it for, or None where he does not care.

    A new text is embedded between two transactions, so an edit that came in meanwhile is a conflict for both ways.
    """
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        seen = check_version(bank, get_opinion(bank, opinion_id), expected)
        vector_of = build_new_text(bank, get_opinion(bank, opinion_id), given)
    vector = embed(bank, vector_of) if vector_of is not None else None
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        opinion = get_opinion(bank, opinion_id)
        check_version(bank, opinion, frozenset({seen}) if vector is not None else expected)
        review_opinion(bank, opinion, given, vector=vector)
        if given.act is Act.UNPIN:
            hand_over_unpinned(bank, opinion_id)
        note(access, bank_id, opinion_id, given)
        return show(bank, opinion)


def check_version(bank: Bank, opinion: MemoryUnit, expected: frozenset[str] | None) -> str:
    (listed,) = list_opinions(bank, [opinion])
    if expected is not None and listed.version not in expected:
        raise MemoryChanged(opinion.id)
    return listed.version


def build_new_text(bank: Bank, opinion: MemoryUnit, given: Review) -> str | None:
    if given.act is not Act.EDIT or given.text is None:
        return None
    return build_edited_text(read_state(bank, opinion), UnitEdit(text=given.text))


def embed(bank: Bank, text: str) -> Vector:
    return embed_texts(bank.tenant_id, get_embedder(), [text]).vectors[0]


def note(access: BankAccess, bank_id: str, opinion_id: UUID, given: Review) -> None:
    detail = {"bank_id": bank_id, "act": given.act.value, "reason": given.reason}
    record(
        access.tenant_id, actor=access.actor, action="opinion.reviewed", target=f"memory:{opinion_id}", detail=detail
    )
