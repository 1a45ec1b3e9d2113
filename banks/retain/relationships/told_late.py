"""Relationships that come in after what followed them in time."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Relationship
from banks.retain.relationships.held import began, read_values
from banks.retain.relationships.places import Places, lies_in, read_places
from banks.retain.relationships.tellers import read_tellers
from banks.retain.relationships.told_relationship import News
from banks.retain.relationships.write_ends import Over


def find_told_late(bank: Bank, news: Sequence[News], *, now: datetime) -> dict[UUID, Over]:
    """Those that came in after what followed them in time, which may be over itself by now.

    Only rows that came with the news: one that was there has been told as of later too.
    """
    told = [one for one in news if not one.is_ending]
    new_ids = find_recorded(bank, told, now=now)
    pairs = pair_with_known(bank, [one for one in told if one.relationship_id in new_ids])
    places = read_places(bank, [one for one, _ in pairs], [row for _, known in pairs for row in known])
    followers = {one.relationship_id: newer for one, known in pairs if (newer := find_follower(one, known, places))}
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


def find_follower(one: News, known: Sequence[Relationship], places: Places) -> Relationship | None:
    """A place that was told without a beginning does not follow those that it lies in, or that lie in it."""
    following = [row for row in known if follows(row, one.told.since)]
    ending = (row for row in following if row.valid_from or not lies_in(one, row, places))
    return min(ending, key=began, default=None)


def follows(row: Relationship, since: datetime) -> bool:
    """What was closed before it began came after nothing."""
    return began(row) > since and (row.expired_at is None or began(row) <= row.expired_at)
