"""Another value of a relation that has one at a time ends the former, and the units that told nothing else."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Min, Q, QuerySet

from banks.entities.merging import forget_relationships
from banks.lifecycle.closings import Closing
from banks.models import Bank, Relationship, RelationshipSource
from banks.retain.relationships.postponed_beginnings import settle_told_anew
from banks.retain.relationships.told_relationship import Key, News
from banks.retain.relationships.write_ends import Over, write_ends

Values = defaultdict[tuple[UUID, str], list[Relationship]]  # by subject and relation


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
    over: dict[UUID, Over] = {}
    for one in sorted(standing, key=lambda one: one.told.since):
        for row in find_ended(one, held[one.told.subject_id, one.told.key[1]], first_told):
            if not {row.id, one.relationship_id} & over.keys():
                over[row.id] = build_over(row, one)
    over |= find_told_late(bank, [one for one in standing if one.relationship_id not in over], now=now)
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


def find_told_late(bank: Bank, news: Sequence[News], *, now: datetime) -> dict[UUID, Over]:
    """Those that came in after what followed them in time, which may be over itself by now.

    Only rows that came with the news: one that was there has been told as of later too.
    """
    told = [one for one in news if not one.is_ending]
    new_ids = find_recorded(bank, told, now=now)
    followers = {
        one.relationship_id: newer
        for one, known in pair_with_known(bank, [one for one in told if one.relationship_id in new_ids])
        if (newer := min((row for row in known if follows(row, one.told.since)), key=began, default=None))
    }
    tellers = read_tellers(bank, {newer.id for newer in followers.values()})
    texts = {one.relationship_id: one.told.found.text for one in told}
    return {
        late_id: Over(late_id, texts[late_id], began(newer), newer.id, tellers.get(newer.id))
        for late_id, newer in followers.items()
    }


def find_recorded(bank: Bank, news: Sequence[News], *, now: datetime) -> set[UUID]:
    if not news:
        return set()
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(id__in={one.relationship_id for one in news})
    return set(rows.filter(recorded_at=now).values_list("id", flat=True))


def pair_with_known(bank: Bank, news: Sequence[News]) -> list[tuple[News, list[Relationship]]]:
    """Each with the other values of its relation that hold or held. What was corrected never did."""
    rows = Relationship.objects.for_tenant(bank.tenant_id)
    was_so = rows.filter(Q(expired_at=None) | Q(close_reason=Relationship.CloseReason.UPDATE))
    known = read_values(was_so, news)
    return [
        (one, [row for row in known[one.told.subject_id, one.told.key[1]] if row.id != one.relationship_id])
        for one in news
    ]


def read_tellers(bank: Bank, relationship_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Of each the unit that told it last, a live one where there is one."""
    if not relationship_ids:
        return {}
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=relationship_ids)
    ranked = rows.order_by(F("unit__expired_at").desc(nulls_last=True), "unit__mentioned_at", "unit_id")
    return dict(ranked.values_list("relationship_id", "unit_id"))


def follows(row: Relationship, since: datetime) -> bool:
    """What was closed before it began came after nothing."""
    return began(row) > since and (row.expired_at is None or began(row) <= row.expired_at)


def began(row: Relationship) -> datetime:
    return row.valid_from or row.mentioned_at


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
    ends: dict[Key, datetime | None] = {
        (subject, relation, thing, value): until
        for subject, relation, thing, value, until in closed.order_by("valid_until").values_list(
            "subject_id", "relation", "object_id", "value", "valid_until"
        )
    }
    over = {key: one for key, one in told.items() if (end := ends.get(one.told.key)) and one.told.since <= end}
    new = rows.filter(id__in=over, recorded_at=now).values_list("id", flat=True) if over else ()
    again = [over[relationship_id] for relationship_id in new]
    if again:
        forget_relationships(bank, [one.relationship_id for one in again])
    return again


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


def is_of_nothing(one: News, first_told: dict[UUID, datetime]) -> bool:
    """The end of what nobody told of: the row that came with it says what is not known to have been so."""
    return one.is_ending and one.relationship_id not in first_told


def read_held(bank: Bank, news: Sequence[News]) -> Values:
    return read_values(Relationship.objects.for_tenant(bank.tenant_id).current(), news)


def read_values(rows: QuerySet[Relationship], news: Sequence[News]) -> Values:
    values: Values = defaultdict(list)
    if not news:
        return values
    told = rows.filter(
        subject_id__in={one.told.subject_id for one in news}, relation__in={one.told.key[1] for one in news}
    )
    for row in told.defer("embedding").order_by("id"):
        values[row.subject_id, row.relation].append(row)
    return values


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
