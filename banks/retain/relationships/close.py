"""Another value of a relation that has one at a time ends the former, and the units that told nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Min

from banks.entities.curation.merging import forget_relationships
from banks.lifecycle.closings import Closing
from banks.models import Bank, Relationship, RelationshipSource
from banks.retain.relationships.held import Values, began, read_held
from banks.retain.relationships.places import lies_in, read_places
from banks.retain.relationships.postponed_beginnings import settle_told_anew
from banks.retain.relationships.tellers import read_tellers
from banks.retain.relationships.told_late import find_told_late
from banks.retain.relationships.told_relationship import Key, News
from banks.retain.relationships.write_ends import Over, write_ends


@dataclass(frozen=True)
class Ended:
    """`closed_ids` are those whose end has come, the others hold until then. `closings` are for units that told
    nothing but a beginning that is not to be.
    """

    over: tuple[Over, ...] = ()
    closed_ids: tuple[UUID, ...] = ()
    closings: tuple[Closing, ...] = ()


def close_former(bank: Bank, news: Sequence[News], *, now: datetime, actor: str) -> Ended:
    """What held before is over since the new one began. What is told late of the past is over since the newer began."""
    heard_again = find_heard_again(bank, news, now=now)
    standing = [one for one in news if one not in heard_again]
    held = read_held(bank, standing)
    rows = [row for values in held.values() for row in values]
    anew = settle_told_anew(bank, standing, rows, now=now, actor=actor)
    standing = [one for one in standing if one.relationship_id not in anew.known]
    first_told = read_first_told(bank, standing)
    places = read_places(bank, standing, rows)
    over: dict[UUID, Over] = {}
    ending = sorted((one for one in standing if not one.is_no_news), key=lambda one: one.told.since)
    beside = {one.relationship_id: one.told.since for one in standing if one.is_no_news}
    for one in ending:
        values = list_touched(one, held[one.told.subject_id, one.told.key[1]], beside, now=now)
        for row in find_ended(one, [row for row in values if not lies_in(one, row, places)], first_told):
            if not {row.id, one.relationship_id} & over.keys():
                over[row.id] = build_over(row, one)
    over |= find_told_late(bank, [one for one in ending if one.relationship_id not in over], now=now)
    over = find_announced(bank, standing, held) | over
    closed_ids = write_ends(bank, list(over.values()), now=now)
    if empty := [one.relationship_id for one in standing if is_of_nothing(one, first_told)]:
        forget_relationships(bank, empty)
    return Ended(tuple(over.values()), closed_ids, anew.closings)


def build_over(row: Relationship, by: News) -> Over:
    successor_id = None if by.is_ending else by.relationship_id
    return Over(row.id, row.text, by.told.since, successor_id, by.told.unit_id)


def find_announced(bank: Bank, news: Sequence[News], held: Values) -> dict[UUID, Over]:
    """Those that are told again before their announced end: what tells them now ends with them."""
    again = {one.relationship_id for one in news if not one.is_ending}
    rows = [row for values in held.values() for row in values if row.id in again and row.announced_at is not None]
    tellers = read_tellers(bank, {row.superseded_by_id for row in rows if row.superseded_by_id})
    return {
        row.id: Over(row.id, row.text, row.valid_until, row.superseded_by_id, tellers.get(row.superseded_by_id))
        for row in rows
        if row.valid_until and row.superseded_by_id
    }


def find_heard_again(bank: Bank, news: Sequence[News], *, now: datetime) -> list[News]:
    """Those that are over since they were said: heard again as of their own time, they are not so again.

    Their new rows are forgotten; the closed ones tell the same.
    """
    told = {one.relationship_id: one for one in news if not one.is_ending}
    if not told:
        return []
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    closed = rows.filter(
        subject_id__in={one.told.subject_id for one in told.values()},
        relation__in={one.told.key[1] for one in told.values()},
        close_reason=Relationship.CloseReason.UPDATE,
    )
    ended: dict[Key, Relationship] = {
        (row.subject_id, row.relation, row.object_id, row.value): row
        for row in closed.defer("embedding").order_by("valid_until")
    }
    over = {key: one for key, one in told.items() if (row := ended.get(one.told.key)) and was_over(one, row)}
    new = rows.filter(id__in=over, recorded_at=now).values_list("id", flat=True) if over else ()
    again = [over[relationship_id] for relationship_id in new]
    if again:
        forget_relationships(bank, [one.relationship_id for one in again])
    return again


def was_over(one: News, row: Relationship) -> bool:
    """What was called off before it began may be announced anew, for the same day, too: the later telling counts."""
    if row.valid_until is None:
        return False
    if row.valid_until == row.valid_from:
        return one.told.mentioned_at <= row.mentioned_at
    return one.told.since <= row.valid_until


def find_ended(one: News, held: Sequence[Relationship], first_told: dict[UUID, datetime]) -> Iterator[Relationship]:
    """Telling an end mentions what ended, so that its last mention says nothing: the first one has to be before."""
    for row in held:
        if row.id != one.relationship_id:
            ends = not (one.is_ending and one.told.found.object)
            since = began(row)
        else:
            ends = one.is_ending and row.id in first_told
            since = row.valid_from or first_told.get(row.id, row.mentioned_at)
        if ends and since <= one.told.since:
            yield row


def list_touched(
    one: News, held: Sequence[Relationship], beside: dict[UUID, datetime], *, now: datetime
) -> list[Relationship]:
    """Without those that stand beside it: of the batch, or from before. What is told once more is no news to what was
    so beside it.
    """
    if one.is_ending:
        return list(held)
    touched = [row for row in held if row.id not in beside or beside[row.id] < one.told.since]
    own = next((row for row in held if row.id == one.relationship_id and row.recorded_at < now), None)
    if own is None or one.told.found.valid_from or began_with(own, one):
        return touched
    return [row for row in touched if row is own or row.recorded_at == now]


def began_with(own: Relationship, one: News) -> bool:
    return own.valid_from is not None and own.valid_from >= one.told.since


def is_of_nothing(one: News, first_told: dict[UUID, datetime]) -> bool:
    """The end of what nobody told of: the row that came with it says what is not known to have been so."""
    return one.is_ending and one.relationship_id not in first_told


def read_first_told(bank: Bank, news: Sequence[News]) -> dict[UUID, datetime]:
    """When that which is said to be over was first told, by others than the units that say so."""
    endings = [one for one in news if one.is_ending]
    if not endings:
        return {}
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id)
    told = rows.filter(relationship_id__in={one.relationship_id for one in endings}).exclude(
        unit_id__in={one.told.unit_id for one in endings}
    )
    return dict(told.values_list("relationship_id").annotate(Min("unit__mentioned_at")))
