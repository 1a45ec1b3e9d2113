"""Which banks a search looks into.

A recall in each of many banks takes seconds. Where there are too many, one statement tells which of them have the
memories nearest to the question: several recalls are ordered by nearness, so what the others have would come last.
"""

from django.db import OperationalError
from django.db.models import Min
from pgvector.django import CosineDistance
from psycopg.errors import QueryCanceled
from rest_framework import serializers

from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.nearest import keep_comparable
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.operations.access import BankAccess
from providers.registry import get_embedder
from retrieval.query_vectors import QUERY_VECTORS
from tenants.transactions import tenant_transaction

MOST_BANKS = 100  # that are searched
MOST_OWNERS = 10_000  # whose memories are compared
MOST_SECONDS = 5.0  # that the comparison may take


class TooMany(serializers.ValidationError):
    """More than one search can compare."""


def choose_banks(access: BankAccess, condition: Condition, question: str) -> list[str]:
    """Those that have what is asked for, at most `MOST_BANKS`."""
    with tenant_transaction(access.tenant_id):
        units = find_told(access, condition).order_by()
        bank_ids = list(units.values_list("bank__bank_id", flat=True).distinct()[: MOST_OWNERS + 1])
    if len(bank_ids) > MOST_OWNERS:
        raise TooMany(f"The filters mean memories of more than {MOST_OWNERS} owners: name a user_id, or several.")
    return sorted(bank_ids if len(bank_ids) <= MOST_BANKS else find_nearest_banks(access, units, question))


def find_nearest_banks(access: BankAccess, units: UnitQuerySet, question: str) -> list[str]:
    vector, _usage = QUERY_VECTORS.embed(question, get_embedder())
    distance = Min(CosineDistance("embedding", vector))
    banks = keep_comparable(units).values("bank__bank_id").annotate(distance=distance)
    nearest = banks.order_by("distance", "bank__bank_id").values_list("bank__bank_id", flat=True)[:MOST_BANKS]
    settings = {"statement_timeout": str(round(MOST_SECONDS * 1_000))}
    try:
        with tenant_transaction(access.tenant_id, settings=settings):
            return list(nearest)
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooMany("The filters mean too many memories of many owners: name a user_id, or several.") from error
        raise
