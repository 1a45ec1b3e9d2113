"""What ended only because two were taken for one goes on when they are two again."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q

from banks.lifecycle.announced.announce import take_back
from banks.lifecycle.announced.gaps import find_units_waiting
from banks.lifecycle.announced.relationships import give_back
from banks.lifecycle.close import close_units
from banks.models import Bank, Corpus, MemoryUnit, Relationship, RelationshipSource
from banks.retain.relationships.called_off import reopen
from banks.retain.relationships.held import began
from banks.retain.relationships.tellers import read_tellers
from banks.retain.relationships.told_late import follows
from banks.retain.relationships.units_of_one_relationship import find_units_that_told_only_it
from banks.retain.relationships.write_ends import Over, write_ends
from banks.text_index.write import retire_texts

SPLITTING = "splitting"  # who gives back what the other ended, as the history of that tells it


def give_back_ends_of_others(bank: Bank, entity_ids: Collection[UUID], *, now: datetime) -> None:
    """Those whose successor is told of another by now, with the units that ended with them. What came next of their
    own ends them, where anything did. Call inside a tenant transaction, after `lock_memory`, when each has its own.
    """
    mistaken = find_mistaken(bank, entity_ids)
    if not mistaken:
        return
    ended_at = {row.id: moment for row in mistaken if (moment := row.expired_at or row.announced_at)}
    for row in mistaken:
        if row.expired_at is None:
            take_back_end(bank, row)
        elif row.superseded_by_id:
            reopen(bank, row, [row.superseded_by_id], actor=SPLITTING)
    over = find_own_ends(bank, ended_at)
    ended = write_ends(bank, over, now=now)
    closed = close_units(bank, find_units_that_told_only_it(bank, over), now=now, actor=SPLITTING)
    retire_texts(bank, Corpus.UNIT, closed.unit_ids)
    retire_texts(bank, Corpus.RELATIONSHIP, [*ended, *closed.relationship_ids])


def find_mistaken(bank: Bank, entity_ids: Collection[UUID]) -> list[Relationship]:
    """What takes the place of another is of the same subject, unless it was not the same."""
    rows = Relationship.objects.for_tenant(bank.tenant_id).filter(subject_id__in=entity_ids)
    ended = rows.filter(
        Q(expired_at=None, announced_at__isnull=False) | Q(close_reason=Relationship.CloseReason.UPDATE)
    )
    others = ended.filter(superseded_by__isnull=False).exclude(superseded_by__subject_id=F("subject_id"))
    return list(others.defer("embedding").order_by("id"))


def take_back_end(bank: Bank, row: Relationship) -> None:
    for unit, _ in find_units_waiting(bank, [row], [row.superseded_by_id] if row.superseded_by_id else []):
        take_back(bank, unit, actor=SPLITTING)
    give_back(Relationship.objects.for_tenant(bank.tenant_id).filter(id=row.id))


def find_own_ends(bank: Bank, ended_at: Mapping[UUID, datetime]) -> list[Over]:
    """By what was told of the same one after the mistake, or what its units end with. What else was told before that
    stood beside it.
    """
    rows = Relationship.objects.for_tenant(bank.tenant_id).defer("embedding")
    open_again = list(rows.current().filter(id__in=ended_at).order_by("id"))
    was_so = rows.filter(Q(expired_at=None) | Q(close_reason=Relationship.CloseReason.UPDATE))
    next_ones = {}
    for row in open_again:
        later = was_so.filter(subject_id=row.subject_id, relation=row.relation, recorded_at__gt=ended_at[row.id])
        own = was_so.filter(id__in=find_announced_by_units(bank, row))
        following = [other for other in (*later, *own) if other.id != row.id and follows(other, began(row))]
        if newer := min(following, key=began, default=None):
            next_ones[row.id] = newer
    tellers = read_tellers(bank, {newer.id for newer in next_ones.values()})
    return [
        Over(row.id, row.text, began(newer), newer.id, tellers.get(newer.id))
        for row in open_again
        if (newer := next_ones.get(row.id))
    ]


def find_announced_by_units(bank: Bank, row: Relationship) -> set[UUID]:
    """What is to take its place, as the units that tell it know."""
    sources = RelationshipSource.objects.for_tenant(bank.tenant_id)
    waiting = MemoryUnit.objects.of_bank(bank).announced()
    units = waiting.filter(id__in=sources.filter(relationship=row).values("unit_id"))
    told = sources.filter(unit_id__in=units.values("superseded_by_id"))
    of_it = told.filter(relationship__subject_id=row.subject_id, relationship__relation=row.relation)
    return set(of_it.values_list("relationship_id", flat=True))
