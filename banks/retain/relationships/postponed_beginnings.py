"""Beginnings that lie ahead and are told anew: put off, put forward, or come already. The later telling counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.lifecycle.announced.announce import take_back
from banks.lifecycle.announced.relationships import take_back_ends_resting_on
from banks.lifecycle.closings import Closing
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.retain.relationships.told_relationship import News
from banks.retain.relationships.units_of_one_relationship import Telling, is_all_it_announces, read_tellings


@dataclass(frozen=True)
class ToldAnew:
    """`known` are relationships of which the batch tells nothing new. `closings` are for units that told nothing but
    a beginning that is not to be.
    """

    known: frozenset[UUID] = frozenset()
    closings: tuple[Closing, ...] = ()


@dataclass(frozen=True)
class Meeting:
    """What is told of a beginning that was announced for another day; `others` told that day."""

    one: News
    row: Relationship
    former: datetime
    own: Telling | None
    others: tuple[Telling, ...]

    @property
    def since(self) -> datetime:
        return self.one.told.since

    @property
    def is_later(self) -> bool:
        return all(other.mentioned_at <= self.one.told.mentioned_at for other in self.others)

    @property
    def is_vaguer(self) -> bool:
        """Who says "in January" of the fifteenth says no other day."""
        end = self.own.occurred_end if self.own else None
        return end is not None and self.since <= self.former < end

    @property
    def can_move(self) -> bool:
        return self.is_later and (self.row.valid_until is None or self.since < self.row.valid_until)


def settle_told_anew(
    bank: Bank, news: Sequence[News], held: Sequence[Relationship], *, now: datetime, actor: str
) -> ToldAnew:
    """Moves the beginnings. What was to end by them is open again, for the news to end it.

    `held` are the relationships as they are with the news. Call inside a tenant transaction.
    """
    known: set[UUID] = set()
    closings: list[Closing] = []
    for met in find_meetings(bank, news, held, now=now):
        if met.since > now and (met.is_vaguer or not met.is_later):
            known.add(met.row.id)
            closings += [] if met.is_later else disown(bank, met, close_outdated(met))
        elif met.can_move:
            open_again(bank, met, actor=actor)
            move(bank, met)
            closings += disown(bank, met, close_former_tellings(met))
    return ToldAnew(frozenset(known), tuple(closings))


def find_meetings(
    bank: Bank, news: Sequence[News], held: Sequence[Relationship], *, now: datetime
) -> Iterator[Meeting]:
    told = {one.relationship_id: one for one in news if not one.is_ending}
    rows = [
        (row, row.valid_from)
        for row in held
        if row.id in told and row.recorded_at < now and row.valid_from and row.valid_from > now
    ]
    moved = [(row, former) for row, former in rows if told[row.id].told.since != former]
    tellings = read_tellings(bank, [row.id for row, _ in moved]) if moved else []
    for row, former in moved:
        one = told[row.id]
        of_row = [telling for telling in tellings if telling.relationship_id == row.id]
        own = next((telling for telling in of_row if telling.unit_id == one.told.unit_id), None)
        others = (telling for telling in of_row if telling is not own and telling.valid_from == former)
        yield Meeting(one, row, former, own, tuple(others))


def open_again(bank: Bank, met: Meeting, *, actor: str) -> None:
    """Whatever was to end on the former day by what is told anew."""
    ended = Relationship.objects.for_tenant(bank.tenant_id).announced().filter(superseded_by=met.row)
    tellings = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship__in=ended)
    units = (
        MemoryUnit.objects.of_bank(bank)
        .announced()
        .filter(id__in=tellings.values("unit_id"), superseded_by__in=[other.unit_id for other in met.others])
    )
    for unit in units.filter(valid_until=met.former).defer("embedding").order_by("id"):
        take_back(bank, unit, actor=actor)
    take_back_ends_resting_on(bank, [met.row.id])


def move(bank: Bank, met: Meeting) -> None:
    met.row.valid_from = met.since
    Relationship.objects.for_tenant(bank.tenant_id).filter(id=met.row.id).update(valid_from=met.since)


def close_former_tellings(met: Meeting) -> list[Closing]:
    since = min(met.since, met.former)
    return [
        Closing(other.unit_id, met.one.told.unit_id, since)
        for other in met.others
        if is_all_it_announces(other, met.row.text)
    ]


def close_outdated(met: Meeting) -> list[Closing]:
    """What came in late was told before the others told otherwise."""
    if met.own is None or not is_all_it_announces(met.own, met.row.text):
        return []
    latest = max(met.others, key=lambda other: other.mentioned_at)
    return [Closing(met.own.unit_id, latest.unit_id, min(met.since, met.former))]


def disown(bank: Bank, met: Meeting, closings: list[Closing]) -> list[Closing]:
    """The relationship begins on another day than these units told: it goes with those that tell it as it is."""
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id=met.row.id)
    rows.filter(unit_id__in=[closing.unit_id for closing in closings]).delete()
    return closings
