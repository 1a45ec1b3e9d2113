"""Who stands to whom around the entities that a question names: two steps, few entities, few relationships."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from psycopg import sql

from banks.models import Bank
from retrieval.filters.moment import build_moment_condition
from retrieval.types import PointInTime

MOST_ENTITIES = 10
MOST_RELATIONSHIPS = 20

# The best proven and latest said of each step. A relationship's entities are found by equality, which an index serves.
FIND = sql.SQL("""
WITH first AS (
    SELECT edge.*, 1 AS step FROM banks_relationship AS edge
    WHERE edge.tenant_id = %(tenant)s AND edge.bank_id = %(bank)s AND {moment}
      AND (edge.subject_id = ANY(%(entities)s) OR edge.object_id = ANY(%(entities)s))
    ORDER BY edge.proof_count DESC, edge.mentioned_at DESC, edge.id LIMIT %(most)s
), near AS (
    SELECT subject_id AS id FROM first UNION SELECT object_id FROM first WHERE object_id IS NOT NULL
), second AS (
    SELECT edge.*, 2 AS step FROM banks_relationship AS edge
    WHERE edge.tenant_id = %(tenant)s AND edge.bank_id = %(bank)s AND {moment}
      AND (edge.subject_id IN (SELECT id FROM near) OR edge.object_id IN (SELECT id FROM near))
      AND edge.id NOT IN (SELECT id FROM first)
    ORDER BY edge.proof_count DESC, edge.mentioned_at DESC, edge.id LIMIT %(most)s
)
SELECT found.id, found.subject_id, found.object_id, found.text, found.valid_from, found.valid_until,
    found.mentioned_at, found.expired_at
FROM (SELECT * FROM first UNION ALL SELECT * FROM second) AS found
ORDER BY found.step, found.proof_count DESC, found.mentioned_at DESC, found.id
""")


@dataclass(frozen=True)
class Tie:
    id: UUID
    subject_id: UUID
    object_id: UUID | None
    text: str
    valid_from: datetime | None
    valid_until: datetime | None
    mentioned_at: datetime
    expired_at: datetime | None

    @property
    def entity_ids(self) -> set[UUID]:
        return {self.subject_id} | ({self.object_id} if self.object_id else set())


def find_ties(bank: Bank, entity_ids: Sequence[UUID], moment: PointInTime) -> tuple[Tie, ...]:
    """Call inside a tenant transaction."""
    if not entity_ids:
        return ()
    statement = FIND.format(moment=build_moment_condition(sql.Identifier("edge"), moment))
    asked: dict[str, Any] = {
        "tenant": bank.tenant_id,
        "bank": bank.id,
        "entities": list(entity_ids[:MOST_ENTITIES]),
        "most": MOST_RELATIONSHIPS,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return keep_few((Tie(*row) for row in cursor.fetchall()), set(entity_ids[:MOST_ENTITIES]))


def keep_few(ties: Iterable[Tie], entity_ids: set[UUID]) -> tuple[Tie, ...]:
    """In their order, as long as neither the entities nor the relationships become too many."""
    kept: list[Tie] = []
    known = set(entity_ids)
    for tie in ties:
        reached = known | tie.entity_ids
        if len(reached) <= MOST_ENTITIES and len(kept) < MOST_RELATIONSHIPS:
            kept.append(tie)
            known = reached
    return tuple(kept)
