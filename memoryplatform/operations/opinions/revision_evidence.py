"""What each step of an opinion came from, as it read then."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, MemoryUnit, UnitChange
from reflection.models import OpinionRevision, RevisionEvidence


@dataclass(frozen=True)
class ShownGround:
    """A fact, or a telling of the agent. `text` is what it said at the step; `taken_back`: its effect is over."""

    unit: MemoryUnit
    text: str
    taken_back: bool = False


@dataclass(frozen=True)
class ShownRevision:
    """`deleted` is how many pieces of its evidence are gone, `hidden` how many the caller is not shown."""

    revision: OpinionRevision
    evidence: tuple[ShownGround, ...] = ()
    deleted: int = 0
    hidden: int = 0


def show_revisions(bank: Bank, revisions: Sequence[OpinionRevision]) -> list[ShownRevision]:
    """Call inside a tenant transaction. A fixed number of statements for a page."""
    rows = read_rows(bank, revisions)
    former = read_former_texts(bank, [row.fact_id for some in rows.values() for row in some if row.fact_id])
    return [
        ShownRevision(
            revision,
            tuple(show_ground(row, row.fact, former, revision.created_at) for row in rows[revision.id] if row.fact),
            sum(row.fact_id is None for row in rows[revision.id]),
        )
        for revision in revisions
    ]


def read_rows(bank: Bank, revisions: Sequence[OpinionRevision]) -> defaultdict[UUID, list[RevisionEvidence]]:
    """A step that came from an old export has its one fact in a column alone. One that took others back bears nothing,
    and shows what was lost.
    """
    found: defaultdict[UUID, list[RevisionEvidence]] = defaultdict(list)
    rows = RevisionEvidence.objects.of_bank(bank).filter(revision_id__in=[one.id for one in revisions])
    shown = rows.filter(Q(bears=True) | Q(revision__cause=OpinionRevision.Cause.WITHDRAWN))
    for row in shown.select_related("fact").defer("fact__embedding").order_by("id"):
        found[row.revision_id].append(row)
    for revision in revisions:
        if revision.evidence_id and revision.id not in found:
            found[revision.id] = [
                RevisionEvidence(revision=revision, fact=revision.evidence, taken_back=revision.withdrawn)
            ]
    return found


def read_former_texts(bank: Bank, unit_ids: Sequence[UUID]) -> defaultdict[UUID, list[tuple[datetime, str]]]:
    """By unit: until when it had which text, the oldest first."""
    found: defaultdict[UUID, list[tuple[datetime, str]]] = defaultdict(list)
    changes = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, before__has_key="text")
    for unit_id, until, before in changes.order_by("changed_at", "id").values_list("unit_id", "changed_at", "before"):
        found[unit_id].append((until, before["text"]))
    return found


def show_ground(
    row: RevisionEvidence, fact: MemoryUnit, former: dict[UUID, list[tuple[datetime, str]]], at: datetime
) -> ShownGround:
    texts = (text for until, text in former.get(fact.id, ()) if until > at)
    return ShownGround(fact, next(texts, fact.text), row.taken_back)
