"""Another value of a relation that has one at a time ends the former, and the units that told nothing else."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.lifecycle.close import Closing
from banks.lifecycle.wording import weighty_words
from banks.models import Bank, MemoryUnit, Relationship, RelationshipSource
from banks.retain.told import Told

CLOSE = """
UPDATE banks_relationship AS told SET
    valid_until = greatest(over.since, told.valid_from), expired_at = %(now)s, close_reason = 'update',
    superseded_by_id = over.successor_id
FROM unnest(%(id)s::uuid[], %(successor_id)s::uuid[], %(since)s::timestamptz[]) AS over (id, successor_id, since)
WHERE told.tenant_id = %(tenant_id)s AND told.id = over.id
"""

# What took its place holds since then, also where nobody said since when.
BEGIN = """
UPDATE banks_relationship AS told SET valid_from = begun.since
FROM unnest(%(successor_id)s::uuid[], %(since)s::timestamptz[]) AS begun (id, since)
WHERE told.tenant_id = %(tenant_id)s AND told.id = begun.id AND told.valid_from IS NULL
  AND (told.valid_until IS NULL OR told.valid_until >= begun.since)
"""

LONGEST = 14  # words: what is longer tells more than a relationship
MOST_OTHER_WORDS = 2  # beside the speaker's name: "Ana: Ana lives in Porto now, you know."


@dataclass(frozen=True)
class News:
    relationship_id: UUID
    told: Told


@dataclass(frozen=True)
class Over:
    """A relationship that ended when `by` began."""

    relationship_id: UUID
    text: str
    by: News


def close_former(bank: Bank, news: Sequence[News], *, now: datetime) -> list[Over]:
    """What held before is over since the new one began. A thing of the past that is told late closes nothing newer."""
    held = read_held(bank, news)
    over: dict[UUID, Over] = {}
    for one in sorted(news, key=lambda one: one.told.since):
        for row in held[one.told.subject_id, one.told.key[1]]:
            is_older = (row.valid_from or row.mentioned_at) <= one.told.since
            if is_older and row.id != one.relationship_id and not {row.id, one.relationship_id} & over.keys():
                over[row.id] = Over(row.id, row.text, one)
    if over:
        ended: dict[str, Any] = {
            "tenant_id": bank.tenant_id,
            "now": now,
            "id": list(over),
            "successor_id": [one.by.relationship_id for one in over.values()],
            "since": [one.by.told.since for one in over.values()],
        }
        with connection.cursor() as cursor:
            cursor.execute(CLOSE, ended)
            cursor.execute(BEGIN, ended)
    return list(over.values())


def read_held(bank: Bank, news: Sequence[News]) -> dict[tuple[UUID, str], list[Relationship]]:
    held: defaultdict[tuple[UUID, str], list[Relationship]] = defaultdict(list)
    if not news:
        return held
    rows = Relationship.objects.for_tenant(bank.tenant_id).current()
    told = rows.filter(
        subject_id__in={one.told.subject_id for one in news}, relation__in={one.told.key[1] for one in news}
    )
    for row in told.defer("embedding").order_by("id"):
        held[row.subject_id, row.relation].append(row)
    return held


def find_units_that_told_no_more(bank: Bank, over: Sequence[Over]) -> list[Closing]:
    """Most units tell more than one relationship, and closing one would hide the rest: those stay."""
    if not over:
        return []
    ended = {one.relationship_id: one for one in over}
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=ended)
    found = rows.filter(unit__expired_at=None, unit__occurred_start=None).exclude(unit__kind=MemoryUnit.Kind.EVENT)
    closings = []
    for relationship_id, unit_id, text in found.values_list("relationship_id", "unit_id", "unit__text"):
        one = ended[relationship_id]
        if unit_id != one.by.told.unit_id and is_all_it_tells(text, one.text):
            closings.append(Closing(unit_id, one.by.told.unit_id, one.by.told.since))
    return closings


def is_all_it_tells(text: str, relationship: str) -> bool:
    words = weighty_words(text)
    others = set(words) - set(weighty_words(relationship))
    return len(words) <= LONGEST and len(others) <= MOST_OTHER_WORDS
