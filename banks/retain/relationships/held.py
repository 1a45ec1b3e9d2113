"""The values of a relation that somebody has or had."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from banks.models import Bank, Relationship
from banks.retain.relationships.told_relationship import News

Values = defaultdict[tuple[UUID, str], list[Relationship]]  # by subject and relation


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


def began(row: Relationship) -> datetime:
    return row.valid_from or row.mentioned_at
