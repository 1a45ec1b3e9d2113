"""Evidence of opinions: facts that were seen or done, never another opinion."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from banks.entities.descriptions import begins_after
from banks.enums import Network
from banks.models import Bank, MemoryUnit, RelationshipSource, UnitSource
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.models.opinions import RevisionEvidenceQuerySet
from reflection.opinions.claims import Pair
from reflection.opinions.matching import normalise

FACTS = (Network.WORLD, Network.EXPERIENCE)
MOST_OF_A_SUMMARY = 5  # facts that an observation stands for


def find_evidence(bank: Bank, ids: Collection[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """The facts behind each id: the fact itself, or the facts that an observation summarises.

    Opinions, closed facts and facts that are not true yet are no evidence.
    """
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=ids)
    named = list(units.values_list("id", "network", "valid_from"))
    observations = [one for one, network, _ in named if network == Network.OBSERVATION]
    found = {one: (one,) for one, network, _ in named if network in FACTS} | read_summarised(bank, observations)
    now = timezone.now()
    if any(begins_after(valid_from, now) for _, _, valid_from in named):
        future = find_not_yet_true(bank, {fact for facts in found.values() for fact in facts}, now=now)
        found = {one: tuple(fact for fact in facts if fact not in future) for one, facts in found.items()}
    return {one: facts for one, facts in found.items() if facts}


def find_not_yet_true(bank: Bank, fact_ids: Collection[UUID], *, now: datetime) -> set[UUID]:
    """Facts that become true on a later day. A dated plan is true already, as a plan."""
    ahead = MemoryUnit.objects.of_bank(bank).filter(id__in=fact_ids, valid_from__gt=now)
    stating = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        unit=OuterRef("pk"), relationship__expired_at=None, relationship__valid_from__gt=now
    )
    return set(ahead.filter(Q(occurred_start=None) | Exists(stating)).values_list("id", flat=True))


def read_summarised(bank: Bank, observation_ids: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    if not observation_ids:
        return {}
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        unit_id__in=observation_ids,
        role=UnitSource.Role.SUMMARISES,
        other_unit__network__in=FACTS,
        other_unit__expired_at=None,
    )
    found: dict[UUID, list[UUID]] = {}
    for unit_id, fact_id in sources.order_by("id").values_list("unit_id", "other_unit_id"):
        found.setdefault(unit_id, []).append(fact_id)
    return {unit_id: tuple(facts[:MOST_OF_A_SUMMARY]) for unit_id, facts in found.items()}


def find_known(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """Facts that the opinion was formed on or moved by."""
    return {fact_id for fact_id, _ in find_used_by(bank, [opinion_id])}


def find_used_by(bank: Bank, opinion_ids: Collection[UUID]) -> set[Pair]:
    """The pairs of these opinions with the facts that they use already."""
    return read_pairs(RevisionEvidence.objects.of_bank(bank).filter(opinion_id__in=opinion_ids))


def find_used(bank: Bank, fact_ids: Collection[UUID]) -> set[Pair]:
    """The pairs of these facts with the opinions that use them already. Call inside a tenant transaction.

    A fact does not move an opinion twice, unless its first effect was withdrawn.
    """
    return read_pairs(RevisionEvidence.objects.of_bank(bank).filter(fact_id__in=fact_ids))


def read_pairs(rows: RevisionEvidenceQuerySet) -> set[Pair]:
    pairs = rows.effective().values_list("fact_id", "opinion_id")
    return {(fact_id, opinion_id) for fact_id, opinion_id in pairs if fact_id}


def find_moved(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """Facts with a verdict in the opinion's history."""
    rows = RevisionEvidence.objects.of_bank(bank).filter(opinion_id=opinion_id)
    return {fact_id for fact_id, _ in read_pairs(rows.filter(revision__cause__in=OpinionRevision.EVIDENTIAL))}


def add_evidence(bank: Bank, opinion_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Adds the facts that the opinion does not rest on yet."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit_id__in=fact_ids)
    there = set(rows.values_list("other_unit_id", flat=True))
    add_all_evidence(bank, {opinion_id: [fact_id for fact_id in fact_ids if fact_id not in there]})


def add_all_evidence(bank: Bank, facts: Mapping[UUID, Sequence[UUID]]) -> None:
    """Facts that support each opinion: it lives as long as one of them does."""
    rows = [
        UnitSource(unit_id=opinion_id, role=UnitSource.Role.EVIDENCE, other_unit_id=fact_id)
        for opinion_id, fact_ids in facts.items()
        for fact_id in fact_ids
    ]
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(rows)


SOURCE_FIELDS = ("role", "message_id", "chunk_id", "episode_id", "other_unit_id", "start", "end")


def copy_sources(bank: Bank, *, source: UUID, target: UUID, without: Collection[UUID] = ()) -> None:
    """Lets the target opinion rest on the sources of the other one."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    there = list(rows.filter(unit_id=target).values(*SOURCE_FIELDS))
    given = rows.filter(unit_id=source).order_by("id").values(*SOURCE_FIELDS)
    rows.bulk_create(
        UnitSource(unit_id=target, **row) for row in given if row not in there and row["other_unit_id"] not in without
    )


class Wording(NamedTuple):
    """A fact's text without case and punctuation, its day, and whether it ended: stated after its end it is news."""

    text: str
    day: date | None
    is_over: bool

    def repeats(self, other: "Wording") -> bool:
        """A missing date is no other day: in doubt an opinion stays as it is."""
        return self.text == other.text and (self.day == other.day or None in {self.day, other.day})


def find_spent(bank: Bank, pairs: Sequence[Pair]) -> set[Pair]:
    """Pairs whose fact adds nothing: the opinion uses it, or uses a fact with the same text, under whichever tags.

    Of several new facts with the same text the first counts.
    """
    used = find_used_by(bank, {opinion_id for _, opinion_id in pairs})
    wordings = read_wordings(bank, {fact_id for fact_id, _ in (*used, *pairs)})
    known: dict[UUID, list[Wording]] = {}
    for fact_id, opinion_id in used:
        if (wording := wordings.get(fact_id)) and not wording.is_over:
            known.setdefault(opinion_id, []).append(wording)
    spent = used.intersection(pairs)
    for pair in pairs:
        own, wording = known.setdefault(pair[1], []), wordings.get(pair[0])
        if wording is None or any(map(wording.repeats, own)):
            spent.add(pair)
        else:
            own.append(wording)
    return spent


def read_wordings(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Wording]:
    rows = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids)
    over = MemoryUnit.CloseReason.UPDATE
    return {
        unit_id: Wording(normalise(text), start.date() if start else None, reason == over)
        for unit_id, text, start, reason in rows.values_list("id", "text", "occurred_start", "close_reason")
    }


def list_fresh(bank: Bank, opinion_id: UUID, fact_ids: Iterable[UUID]) -> list[UUID]:
    """The facts that are new to the opinion, in their order."""
    given = list(dict.fromkeys(fact_ids))
    spent = find_spent(bank, [(one, opinion_id) for one in given])
    return [one for one in given if (one, opinion_id) not in spent]
