"""Announced beginnings that are not to be ("I'm not moving to Rome"), and ends that do not come ("I'm staying")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.lifecycle.announced.gaps import close_gaps
from banks.models import Bank, Relationship
from banks.retain.relationships.called_off import end_nothing_more, go_on
from banks.retain.relationships.close import Ended
from banks.retain.relationships.relations import Ending, Staying, TakenBack
from banks.retain.relationships.told_relationship import Key, Told
from banks.retain.relationships.write_ends import Over, write_ends


@dataclass(frozen=True)
class Denial:
    """`place` is where the batch tells it: what is told after that counts."""

    place: int
    told: Told

    @property
    def is_staying(self) -> bool:
        return isinstance(self.told.found, Staying)

    def is_of(self, row: Relationship) -> bool:
        subject_id, relation, object_id, value = self.told.key
        same = (row.subject_id, row.relation) == (subject_id, relation)
        return same and (not self.told.found.object or (row.object_id, row.value) == (object_id, value))


@dataclass(frozen=True)
class Known:
    """The relationships that are denied, or may be, as they are with the news of the batch. `told_last` are the places
    where the batch tells them.
    """

    rows: dict[UUID, Relationship]
    told_last: dict[Key, int]

    def is_ahead(self, row: Relationship, denial: Denial) -> bool:
        """It was told before, and to begin after that."""
        at = denial.told.mentioned_at
        is_before = row.mentioned_at <= at and self.told_last.get(key_of(row), -1) < denial.place
        return is_before and row.expired_at is None and row.valid_from is not None and row.valid_from > at

    def list_followers(self, row: Relationship, denial: Denial) -> list[Relationship]:
        """What was to take its place, and what was to take the place of that."""
        found: list[Relationship] = []
        ahead = self.rows.get(row.superseded_by_id) if row.superseded_by_id else None
        while ahead and ahead not in found and self.is_ahead(ahead, denial):
            found.append(ahead)
            ahead = self.rows.get(ahead.superseded_by_id) if ahead.superseded_by_id else None
        return found


def deny_announced(bank: Bank, told: Sequence[Told], ended: Ended, *, now: datetime, actor: str) -> Ended:
    """Call when the batch is stored and has ended what it ends, inside a tenant transaction, after `lock_memory`.

    What lies ahead lies ahead of the moment at which it was denied: on that day it may be over long since.
    """
    for place, one in enumerate(told):
        if isinstance(one.found, TakenBack | Staying):
            ended = deny(bank, Denial(place, one), told, ended, now=now, actor=actor)
    return ended


def deny(bank: Bank, denial: Denial, told: Sequence[Told], ended: Ended, *, now: datetime, actor: str) -> Ended:
    known = read_known(bank, denial, told)
    if not denial.is_staying:
        going = [row for row in known.rows.values() if denial.is_of(row) and known.is_ahead(row, denial)]
        return call_off(bank, denial, going, ended, now=now, actor=actor)
    staying = [row for row in known.rows.values() if denial.is_of(row) and was_to_end(row, denial)]
    for row in staying:
        going = known.list_followers(row, denial)
        ended = call_off(bank, denial, going, ended, now=now, actor=actor)
        if row.superseded_by_id is None and not is_ended_after(denial, told):
            end_nothing_more(bank, row, denial.told, actor=actor)
            ended = replace(ended, over=tuple(one for one in ended.over if one.relationship_id != row.id))
    return ended


def read_known(bank: Bank, denial: Denial, told: Sequence[Told]) -> Known:
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(
        Q(expired_at=None) | Q(close_reason=Relationship.CloseReason.UPDATE),
        subject_id=denial.told.subject_id,
        relation=denial.told.key[1],
    )
    places = {one.key: place for place, one in enumerate(told) if not isinstance(one.found, TakenBack | Staying)}
    return Known({row.id: row for row in rows.defer("embedding").order_by("id")}, places)


def key_of(row: Relationship) -> Key:
    return row.subject_id, row.relation, row.object_id, row.value


def was_to_end(row: Relationship, denial: Denial) -> bool:
    """On a day that lay ahead. What was told by itself to be over is known to lie ahead only while it is open."""
    is_known = row.announced_at is not None if row.expired_at is None else row.superseded_by_id is not None
    return is_known and row.valid_until is not None and row.valid_until > denial.told.mentioned_at


def is_ended_after(denial: Denial, told: Sequence[Told]) -> bool:
    subject_and_relation = denial.told.key[:2]
    later = (one for one in told[denial.place + 1 :] if isinstance(one.found, Ending))
    return any(one.key[:2] == subject_and_relation for one in later)


def call_off(
    bank: Bank, denial: Denial, going: Sequence[Relationship], ended: Ended, *, now: datetime, actor: str
) -> Ended:
    """Closes what is not to begin; what it was to end, or ended, ends with what follows or goes on."""
    if not going:
        return ended
    gone = {row.id for row in going}
    moved = close_gaps(bank, gone, now=now, actor=actor)
    go_on(bank, going, denial.told, actor=actor)
    over = [Over(row.id, row.text, denial.told.mentioned_at, None, denial.told.unit_id) for row in going]
    closed_ids = write_ends(bank, over, now=now)
    Relationship.objects.for_tenant(bank.tenant_id).filter(id__in=gone).update(mentioned_at=denial.told.mentioned_at)
    standing = list_standing(ended.over, gone)
    return replace(ended, over=(*standing, *moved, *over), closed_ids=(*ended.closed_ids, *closed_ids))


def list_standing(over: Sequence[Over], gone: set[UUID]) -> Iterator[Over]:
    return (one for one in over if one.relationship_id not in gone and one.successor_id not in gone)
