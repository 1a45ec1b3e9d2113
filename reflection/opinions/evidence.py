"""What opinions rest on. Evidence is what was seen and done: never another belief."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from banks.models import Bank, MemoryUnit, UnitSource
from reflection.models import OpinionRevision

Network = MemoryUnit.Network
FACTS = (Network.WORLD, Network.EXPERIENCE)
MOST_OF_A_SUMMARY = 5  # facts that an observation stands for


def find_evidence(bank: Bank, ids: Collection[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    """The facts behind each id that is there: itself, or what an observation sums up. Beliefs stand for nothing.

    Call inside a tenant transaction.
    """
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids)
    networks = dict(units.values_list("id", "network"))
    summed = [one for one, network in networks.items() if network == Network.OBSERVATION]
    facts = {one: (one,) for one, network in networks.items() if network in FACTS}
    return facts | read_summed(bank, summed)


def read_summed(bank: Bank, observation_ids: Sequence[UUID]) -> dict[UUID, tuple[UUID, ...]]:
    if not observation_ids:
        return {}
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        unit_id__in=observation_ids, role=UnitSource.Role.SUMMARISES, other_unit__network__in=FACTS
    )
    found: dict[UUID, list[UUID]] = {}
    for unit_id, fact_id in sources.order_by("id").values_list("unit_id", "other_unit_id"):
        found.setdefault(unit_id, []).append(fact_id)
    return {unit_id: tuple(facts[:MOST_OF_A_SUMMARY]) for unit_id, facts in found.items()}


def find_known(bank: Bank, opinion_id: UUID) -> set[UUID]:
    """Facts that the opinion was formed on or moved by. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit__isnull=False)
    moved = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion_id, evidence__isnull=False)
    return {*sources.values_list("other_unit_id", flat=True), *moved.values_list("evidence_id", flat=True)}


def add_evidence(bank: Bank, opinion_id: UUID, fact_ids: Sequence[UUID]) -> None:
    add_all_evidence(bank, {opinion_id: fact_ids})


def add_all_evidence(bank: Bank, facts: Mapping[UUID, Sequence[UUID]]) -> None:
    """Facts that speak for each opinion: it lives as long as one of them does. Call inside a tenant transaction."""
    rows = [
        UnitSource(unit_id=opinion_id, role=UnitSource.Role.EVIDENCE, other_unit_id=fact_id)
        for opinion_id, fact_ids in facts.items()
        for fact_id in fact_ids
    ]
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def copy_sources(bank: Bank, *, source: UUID, target: UUID) -> None:
    """What one opinion rests on, the other rests on too. Call inside a tenant transaction."""
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
        if identify(row) not in there
    ]
    rows.bulk_create(copies)


def identify(row: UnitSource) -> tuple[object, ...]:
    return (row.role, row.message_id, row.chunk_id, row.episode_id, row.other_unit_id, row.start, row.end)
