"""What opinions rest on. Evidence is what was seen and done: never another belief."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from banks.entities.yet_to_come import begins_after
from banks.models import Bank, MemoryUnit, RelationshipSource, UnitSource
from banks.words import Network
from reflection.models import OpinionRevision, RevisionEvidence

FACTS = (Network.WORLD, Network.EXPERIENCE)
Pair = tuple[UUID, UUID]  # a fact and an opinion
MOST_OF_A_SUMMARY = 5  # facts that an observation stands for


def find_evidence(bank: Bank, ids: Collection[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """The facts behind each id that is there: itself, or what an observation sums up. Beliefs stand for nothing.

    What is over, is not so yet or never was so proves nothing of what is believed now. Call inside a tenant
    transaction.
    """
    units = MemoryUnit.objects.of_bank(bank).current().filter(id__in=ids)
    named = list(units.values_list("id", "network", "valid_from"))
    summed = [one for one, network, _ in named if network == Network.OBSERVATION]
    found = {one: (one,) for one, network, _ in named if network in FACTS} | read_summed(bank, summed)
    now = timezone.now()
    if any(begins_after(valid_from, now) for _, _, valid_from in named):
        coming = find_coming(bank, {fact for facts in found.values() for fact in facts}, now=now)
        found = {one: tuple(fact for fact in facts if fact not in coming) for one, facts in found.items()}
    return {one: facts for one, facts in found.items() if facts}


def find_coming(bank: Bank, fact_ids: Collection[UUID], *, now: datetime) -> set[UUID]:
    """Those that tell what is so only from a day to come. What is planned for a day is a plan already."""
    ahead = MemoryUnit.objects.of_bank(bank).filter(id__in=fact_ids, valid_from__gt=now)
    telling = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        unit=OuterRef("pk"), relationship__expired_at=None, relationship__valid_from__gt=now
    )
    return set(ahead.filter(Q(occurred_start=None) | Exists(telling)).values_list("id", flat=True))


def read_summed(bank: Bank, observation_ids: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
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
    """Facts that the opinion was formed on or moved by, and still is. Call inside a tenant transaction."""
    return {fact_id for fact_id, _ in find_used_by(bank, [opinion_id])}


def find_used_by(bank: Bank, opinion_ids: Collection[UUID]) -> set[Pair]:
    """As `find_used`, of all facts. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=opinion_ids, other_unit__isnull=False)
    rows = RevisionEvidence.objects.of_bank(bank).filter(opinion_id__in=opinion_ids)
    steps = OpinionRevision.objects.of_bank(bank).filter(opinion_id__in=opinion_ids)
    return read_used(sources, rows, steps)


def find_used(bank: Bank, fact_ids: Collection[UUID]) -> set[Pair]:
    """What an opinion rests on or was moved by does not move it again, unless that was taken back.

    Call inside a tenant transaction.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(other_unit_id__in=fact_ids)
    rows = RevisionEvidence.objects.of_bank(bank).filter(fact_id__in=fact_ids)
    steps = OpinionRevision.objects.of_bank(bank).filter(evidence_id__in=fact_ids)
    return read_used(sources, rows, steps)


def read_used(
    sources: QuerySet[UnitSource], rows: QuerySet[RevisionEvidence], steps: QuerySet[OpinionRevision]
) -> set[Pair]:
    """The steps speak for themselves where their evidence came without rows, from an old export."""
    bearing = rows.filter(bears=True, fact__isnull=False).values_list("fact_id", "opinion_id", "taken_back")
    told = [((fact_id, opinion_id), is_over) for fact_id, opinion_id, is_over in bearing]
    standing = {pair for pair, is_over in told if not is_over}
    moving = steps.filter(cause__in=OpinionRevision.EVIDENTIAL, evidence__isnull=False, withdrawn=False)
    standing |= set(moving.values_list("evidence_id", "opinion_id"))
    over = {pair for pair, is_over in told if is_over} - standing
    return standing | (set(sources.values_list("other_unit_id", "unit_id")) - over)


def find_moved(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """Facts on which there is a verdict in its history. Call inside a tenant transaction."""
    rows = RevisionEvidence.objects.of_bank(bank).standing().filter(bears=True, opinion_id=opinion_id)
    moving = rows.filter(revision__cause__in=OpinionRevision.EVIDENTIAL)
    return {fact_id for fact_id in moving.values_list("fact_id", flat=True) if fact_id}


def add_evidence(bank: Bank, opinion_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Those of them that it does not rest on yet. Call inside a tenant transaction."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit_id__in=fact_ids)
    there = set(rows.values_list("other_unit_id", flat=True))
    add_all_evidence(bank, {opinion_id: [fact_id for fact_id in fact_ids if fact_id not in there]})


def add_all_evidence(bank: Bank, facts: Mapping[UUID, Sequence[UUID]]) -> None:
    """Facts that speak for each opinion: it lives as long as one of them does. Call inside a tenant transaction."""
    rows = [
        UnitSource(unit_id=opinion_id, role=UnitSource.Role.EVIDENCE, other_unit_id=fact_id)
        for opinion_id, fact_ids in facts.items()
        for fact_id in fact_ids
    ]
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def copy_sources(bank: Bank, *, source: UUID, target: UUID, without: Collection[UUID] = ()) -> None:
    """What one opinion rests on, the other rests on too, but for these facts. Call inside a tenant transaction."""
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    there = {identify(row) for row in rows.filter(unit_id=target)}
    copies = [
        UnitSource(
            unit_id=target,
            role=row.role,
            message_id=row.message_id,
            chunk_id=row.chunk_id,
            episode_id=row.episode_id,
            other_unit_id=row.other_unit_id,
            start=row.start,
            end=row.end,
        )
        for row in rows.filter(unit_id=source).order_by("id")
        if identify(row) not in there and row.other_unit_id not in without
    ]
    rows.bulk_create(copies)


def identify(row: UnitSource) -> tuple[object, ...]:
    return (row.role, row.message_id, row.chunk_id, row.episode_id, row.other_unit_id, row.start, row.end)
