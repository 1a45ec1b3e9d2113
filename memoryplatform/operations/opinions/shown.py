"""Opinions as callers see them: lists with filters, and one opinion with its evidence and history."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from banks.enums import Network
from banks.errors import MemoryNotFound
from banks.models import Bank, MemoryUnit, UnitChange
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.described_units import DescribedUnit, describe_units
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.history import FORMATION, Stance, find_stance, find_wording_step
from reflection.opinions.revisions import read_revisions
from retrieval.filters.types import TagMatch

Marked = Literal["", "new", "approved", "pinned", "retired", "all"]

MARKED = {"new": "", "approved": "approved", "pinned": "pinned", "retired": "retired"}


@dataclass(frozen=True)
class TagView:
    """A caller's tag condition. Without one everything in the bank is visible."""

    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"

    @property
    def is_of_all(self) -> bool:
        return not self.tags and self.tags_match != "exact"

    def find_seen(self, bank: Bank, unit_ids: Collection[UUID]) -> set[UUID]:
        if self.is_of_all or not unit_ids:
            return set(unit_ids)
        units = find_units(bank, MemoryFilter(tags=self.tags, tags_match=self.tags_match, state="all"))
        return set(units.filter(id__in=unit_ids).values_list("id", flat=True))


OF_ALL = TagView()


@dataclass(frozen=True)
class OpinionFilter:
    """All conditions must hold. Without `review` all held opinions pass: all but the retired ones."""

    review: Marked = ""
    entity_id: UUID | None = None
    least_confidence: float = 0.0
    words: str = ""
    view: TagView = OF_ALL


@dataclass(frozen=True)
class ListedOpinion:
    """`revision` and `changed_at` are the number and time of the newest one. `superseded_by` is None where hidden."""

    described: DescribedUnit
    revision: int
    changed_at: datetime
    superseded_by: UUID | None = None

    @property
    def version(self) -> str:
        """Changes with every revision. A reviewer sends it back."""
        return f"{self.described.unit.id.hex}-{self.revision}"


def find_opinions(bank: Bank, wanted: OpinionFilter) -> UnitQuerySet:
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
        units = units.filter(Q(expired_at=None) | Exists(begun))  # a refused statement has no history
    if wanted.review in MARKED:
        units = units.filter(review=MARKED[wanted.review])
    return units.exclude(Exists(find_looks(bank))) if wanted.review == "new" else units


def find_looks(bank: Bank) -> QuerySet[OpinionRevision]:
    """Reviews of the present text."""
    steps = OpinionRevision.objects.of_bank(bank).filter(cause__in=OpinionRevision.BY_PEOPLE)
    return steps.filter(opinion=OuterRef("pk"), text_after=OuterRef("text"))


def order_by_change(bank: Bank, units: UnitQuerySet) -> UnitQuerySet:
    """The last changed first: ids of revisions grow with time."""
    newest = OpinionRevision.objects.of_bank(bank).filter(opinion=OuterRef("pk")).order_by("-number")
    return units.annotate(changed=Subquery(newest.values("id")[:1])).order_by("-changed", "-id")


def list_opinions(bank: Bank, units: Sequence[MemoryUnit], view: TagView = OF_ALL) -> list[ListedOpinion]:
    """A page takes a fixed number of statements."""
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=[unit.id for unit in units])
    newest = {row.opinion_id: row for row in rows.order_by("opinion_id", "-number").distinct("opinion_id")}
    seen = view.find_seen(bank, {unit.superseded_by_id for unit in units if unit.superseded_by_id})
    return [
        ListedOpinion(
            one,
            newest[one.unit.id].number if one.unit.id in newest else 0,
            newest[one.unit.id].created_at if one.unit.id in newest else one.unit.recorded_at,
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


def find_revisions(bank: Bank, opinion_id: UUID) -> QuerySet[OpinionRevision]:
    """The oldest first, each with its evidence."""
    get_opinion(bank, opinion_id)
    rows = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id).select_related("evidence")
    return rows.defer("evidence__embedding", "evidence__second_embedding").order_by("number")


HIDDEN = ""
MOST_MOVED = 50  # steps that one fact caused, of which a page shows the opinions


@dataclass(frozen=True)
class Evidence:
    """A fact, or a statement of the agent, with its text at the time of a revision. `bearing` is the revision's cause.

    `taken_back`: its effect was withdrawn. `stance` is its relation to the present text.
    """

    unit: MemoryUnit
    text: str
    bearing: str
    at: datetime
    revision: int
    taken_back: bool = False
    stance: Stance = "for"


@dataclass(frozen=True)
class ShownOpinion:
    """`is_reworded`: the opinion has another text than at its formation. `hidden_evidence` counts facts that the caller
    may not see.
    """

    listed: ListedOpinion
    evidence: tuple[Evidence, ...]
    is_reworded: bool = False
    hidden_evidence: int = 0


@dataclass(frozen=True)
class ShownRevision:
    """`deleted` counts evidence that no longer exists, `hidden` evidence that the caller may not see."""

    revision: OpinionRevision
    evidence: tuple[Evidence, ...] = ()
    deleted: int = 0
    hidden: int = 0


def show_opinion(access: BankAccess, bank_id: str, opinion_id: UUID, view: TagView = OF_ALL) -> ShownOpinion:
    with bank_transaction(access, bank_id) as bank:
        return show(bank, get_opinion(bank, opinion_id, view), view)


def show(bank: Bank, opinion: MemoryUnit, view: TagView = OF_ALL) -> ShownOpinion:
    """The evidence comes revision by revision. A fact of two revisions is there twice."""
    (listed,) = list_opinions(bank, [opinion], view)
    steps = show_revisions(bank, list(find_revisions(bank, opinion.id)))
    wording_step = find_wording_step([step.revision for step in steps])
    evidence = [
        replace(one, stance=find_stance(step.revision, wording_step, text=opinion.text))
        for step in steps
        for one in step.evidence
        if step.revision.cause != OpinionRevision.Cause.WITHDRAWN
    ]
    facts = {one.other_unit_id for one in listed.described.sources if one.other_unit_id}
    facts |= {one.unit.id for one in evidence}
    seen = view.find_seen(bank, facts)
    sources = tuple(one for one in listed.described.sources if not one.other_unit_id or one.other_unit_id in seen)
    return ShownOpinion(
        replace(listed, described=replace(listed.described, sources=sources)),
        tuple(one for one in evidence if one.unit.id in seen),
        wording_step > FORMATION,
        len(facts - seen),
    )


def show_steps(
    bank: Bank, opinion: MemoryUnit, revisions: Sequence[OpinionRevision], view: TagView
) -> list[ShownRevision]:
    """A page of the history."""
    hidden = find_hidden(bank, opinion, view)
    return [hidden.leave_out(step) for step in show_revisions(bank, revisions)]


def show_revisions(bank: Bank, revisions: Sequence[OpinionRevision]) -> list[ShownRevision]:
    """A page takes a fixed number of statements. A withdrawing revision shows the lost evidence."""
    grounds = RevisionEvidence.objects.of_bank(bank).filter(revision__in=revisions)
    shown = grounds.filter(Q(bears=True) | Q(revision__cause=OpinionRevision.Cause.WITHDRAWN))
    rows: defaultdict[UUID, list[RevisionEvidence]] = defaultdict(list)
    for row in shown.select_related("fact").defer("fact__embedding", "fact__second_embedding").order_by("id"):
        rows[row.revision_id].append(row)
    former = read_former_texts(bank, [row.fact_id for some in rows.values() for row in some if row.fact_id])
    return [
        ShownRevision(
            one,
            tuple(show_evidence(one, row, row.fact, former[row.fact.id]) for row in rows[one.id] if row.fact),
            sum(row.fact_id is None for row in rows[one.id]),
        )
        for one in revisions
    ]


def list_moved_opinions(bank: Bank, fact: MemoryUnit) -> list[RevisionEvidence]:
    """The newest step of each opinion that rests on the fact, the newest first. Call inside a tenant transaction."""
    rows = RevisionEvidence.objects.of_bank(bank).filter(fact=fact, bears=True)
    steps = rows.exclude(revision__cause=OpinionRevision.Cause.WITHDRAWN).select_related("opinion", "revision")
    newest: dict[UUID, RevisionEvidence] = {}
    for row in steps.defer("opinion__embedding", "opinion__second_embedding").order_by("-revision_id")[:MOST_MOVED]:
        newest.setdefault(row.opinion_id, row)
    return list(newest.values())


def read_former_texts(bank: Bank, unit_ids: Sequence[UUID]) -> defaultdict[UUID, list[tuple[datetime, str]]]:
    """By unit the former texts with their ends, the oldest first."""
    found: defaultdict[UUID, list[tuple[datetime, str]]] = defaultdict(list)
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, before__has_key="text")
    for unit_id, until, before in changes.order_by("changed_at", "id").values_list("unit_id", "changed_at", "before"):
        found[unit_id].append((until, before["text"]))
    return found


def show_evidence(
    revision: OpinionRevision, row: RevisionEvidence, fact: MemoryUnit, former: Sequence[tuple[datetime, str]]
) -> Evidence:
    text = next((text for until, text in former if until > revision.created_at), fact.text)
    return Evidence(fact, text, revision.cause, revision.created_at, revision.number, row.taken_back)


@dataclass(frozen=True)
class Hidden:
    """Facts that the caller may not see, the revisions with one of them, and the texts that came from these."""

    fact_ids: frozenset[UUID] = frozenset()
    revision_ids: frozenset[UUID] = frozenset()
    texts: frozenset[str] = frozenset()

    def leave_out(self, shown: ShownRevision) -> ShownRevision:
        """The revision without hidden parts. Its confidence stays: there is one for all readers."""
        evidence = tuple(one for one in shown.evidence if one.unit.id not in self.fact_ids)
        revision = copy(shown.revision)
        revision.text_before, revision.text_after = map(self._show, (revision.text_before, revision.text_after))
        if revision.id in self.revision_ids:
            revision.reasoning = HIDDEN
        if revision.evidence_id in self.fact_ids:
            revision.evidence = None
        return replace(shown, revision=revision, evidence=evidence, hidden=len(shown.evidence) - len(evidence))

    def _show(self, text: str) -> str:
        return HIDDEN if text in self.texts else text


def find_hidden(bank: Bank, opinion: MemoryUnit, view: TagView) -> Hidden:
    """Call inside a tenant transaction, for an opinion that the caller may see with its present text."""
    if view.is_of_all:
        return Hidden()
    revisions = read_revisions(bank, opinion.id)
    rows = RevisionEvidence.objects.of_bank(bank).filter(opinion=opinion, fact__isnull=False)
    pairs = {(revision_id, fact_id) for revision_id, fact_id in rows.values_list("revision_id", "fact_id") if fact_id}
    facts = {fact_id for _, fact_id in pairs}
    hidden = facts - view.find_seen(bank, facts)
    steps = frozenset(revision_id for revision_id, fact_id in pairs if fact_id in hidden)
    texts = find_hidden_texts(revisions, steps) - {opinion.text}
    return Hidden(frozenset(hidden), steps, frozenset(texts))


def find_hidden_texts(revisions: list[OpinionRevision], hidden: Collection[UUID]) -> set[str]:
    """The texts of these revisions, and those that were made from them."""
    texts: set[str] = set()
    for one in revisions:
        is_worded = one.number == FORMATION or one.text_before != one.text_after
        is_grown = one.text_before in texts and one.cause in OpinionRevision.EVIDENTIAL
        if is_worded and (one.id in hidden or is_grown):
            texts.add(one.text_after)
    return texts
