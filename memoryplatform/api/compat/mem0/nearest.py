"""The memories nearest to a question, of all that the filters mean.

Recall leaves out what is far behind its best result, and follows a part of the filters only. Where a search wants more
than it found, these are compared with the question one by one.
"""

import logging
from collections.abc import Sequence

from django.db import OperationalError
from pgvector.django import CosineDistance

from banks.models import MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.filters.conditions import Condition
from memoryplatform.api.compat.mem0.reach import find_told
from memoryplatform.operations.access import BankAccess
from providers.embedding.vector import Vector
from providers.registry import get_embedder
from tenants.transactions import tenant_transaction

MOST_SECONDS = 1.0  # ten thousand memories take a tenth of it
logger = logging.getLogger(__name__)


def find_nearest(
    access: BankAccess, condition: Condition, bank_ids: Sequence[str], vector: Vector, *, most: int
) -> list[tuple[MemoryUnit, float]]:
    """With their cosines, the nearest first; none where that takes too long."""
    settings = {"statement_timeout": str(round(MOST_SECONDS * 1_000))}
    try:
        with tenant_transaction(access.tenant_id, settings=settings):
            meant = keep_comparable(find_told(access, condition)).filter(bank__bank_id__in=bank_ids)
            near = meant.annotate(distance=CosineDistance("embedding", vector)).order_by("distance", "id")
            return [(unit, 1.0 - unit.distance) for unit in near[:most]]  # type: ignore[attr-defined]  # annotated
    except OperationalError:
        logger.warning("A search told what recall found alone.", exc_info=True)
        return []


def keep_comparable(units: UnitQuerySet) -> UnitQuerySet:
    """Vectors of other models than that of questions can't be compared with them."""
    kept: UnitQuerySet = units.filter(bank__embedding_model=get_embedder().model_id, embedding__isnull=False)
    return kept
