"""The opinions that a bank holds near to a text, measured where they are stored."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.models import Bank, MemoryUnit, Mention
from banks.retain.prepared import hash_fact
from banks.vector_index.literal import write_vector
from providers.embedding.vector import Vector
from reflection.opinions.tagging import UNTAGGED, Tags

# cosine under which two opinions have nothing to do with each other; "Ana is amazing", "I hate Ana": 0.66, and where
# the two call her by different names 0.51
NEAR = 0.45
MOST = 50
SHORTEST_NAME = 3  # characters

# The live ones by the index that keeps them apart, and those that a person retired, by their history. One statement for
# all texts that are asked about; their vectors are read once, not once for each opinion.
FIND = """
WITH asked AS MATERIALIZED (
    SELECT place, vector::vector AS vector, content_hash
    FROM unnest(%(place)s::int[], %(vector)s::text[], %(content_hash)s::bytea[]) AS given (place, vector, content_hash)
)
SELECT asked.place, near.id, near.text, near.confidence, near.review, near.cosine, ARRAY(
    SELECT entity_id FROM banks_mention AS mention WHERE mention.tenant_id = %(tenant_id)s AND mention.unit_id = near.id
), ARRAY(
    SELECT tag.tag::text FROM banks_unittag AS tag WHERE tag.tenant_id = %(tenant_id)s AND tag.unit_id = near.id
), ARRAY(
    SELECT string_agg(name.name, chr(10) ORDER BY name.uses DESC, name.id)
    FROM banks_mention AS mention
    JOIN banks_entityname AS name ON name.tenant_id = mention.tenant_id AND name.entity_id = mention.entity_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.unit_id = near.id
    GROUP BY mention.id HAVING count(*) > 1
    ORDER BY mention.entity_id
)
FROM asked CROSS JOIN LATERAL (
    SELECT unit.id, unit.text, unit.confidence, unit.review,
        coalesce(1 - (unit.embedding <=> asked.vector), 0) AS cosine
    FROM (
        SELECT id, text, confidence, review, embedding, content_hash FROM banks_memoryunit
        WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND network = 'opinion' AND expired_at IS NULL
        UNION ALL
        SELECT id, text, confidence, review, embedding, content_hash FROM banks_memoryunit
        WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND expired_at IS NOT NULL AND review = 'retired'
          AND id = ANY(ARRAY(
            SELECT opinion_id FROM reflection_opinionrevision
            WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND cause = 'retired'
          ))
    ) AS unit
    WHERE unit.id <> ALL(%(without)s)
      AND (unit.content_hash = asked.content_hash OR 1 - (unit.embedding <=> asked.vector) >= %(near)s)
    ORDER BY 5 DESC, unit.id
    LIMIT %(most)s
) AS near
ORDER BY asked.place, near.cosine DESC, near.id
"""


@dataclass(frozen=True)
class HeldOpinion:
    """`cosine` is to what was asked about. `names` are those of each entity that has several, the most used first."""

    id: UUID
    text: str
    confidence: float
    review: str
    cosine: float
    entity_ids: frozenset[UUID] = field(default_factory=frozenset)
    tags: Tags = UNTAGGED
    names: tuple[tuple[str, ...], ...] = ()

    @property
    def is_pinned(self) -> bool:
        return self.review == MemoryUnit.Review.PINNED

    @property
    def is_retired(self) -> bool:
        return self.review == MemoryUnit.Review.RETIRED


def find_held(bank: Bank, text: str, vector: Vector, *, without: Collection[UUID] = ()) -> list[HeldOpinion]:
    """Call inside a tenant transaction."""
    (held,) = find_all_held(bank, [(text, vector)], without=without)
    return held


def find_all_held(
    bank: Bank, asked: Sequence[tuple[str, Vector]], *, without: Collection[UUID] = ()
) -> list[list[HeldOpinion]]:
    """For each text the nearest first, and the one with these very words even where it waits for its vector.

    Call inside a tenant transaction.
    """
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "place": list(range(len(asked))),
        "vector": [write_vector(vector) for _, vector in asked],
        "content_hash": [hash_fact(text) for text, _ in asked],
        "near": NEAR,
        "most": MOST,
        "without": list(without),
    }
    held: list[list[HeldOpinion]] = [[] for _ in asked]
    with connection.cursor() as cursor:
        cursor.execute(FIND, given)
        for place, unit_id, text, confidence, review, cosine, entity_ids, tags, names in cursor:
            about, worn = frozenset(entity_ids), frozenset(tags)
            called = tuple(several for told in names if (several := list_several(told.splitlines())))
            held[place].append(HeldOpinion(unit_id, text, confidence, review, cosine, about, worn, called))
    return held


def list_several(names: Iterable[str]) -> tuple[str, ...]:
    """None where there is one. Only what is written as a name: any other word of a text may be just that word."""
    written = tuple(name for name in names if len(name) >= SHORTEST_NAME and name[0].isupper())
    return written if len(written) > 1 else ()


def read_entities(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """Whom each unit speaks of. Call inside a tenant transaction."""
    found: dict[UUID, set[UUID]] = {}
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, entity_id in rows.values_list("unit_id", "entity_id"):
        found.setdefault(unit_id, set()).add(entity_id)
    return found


def read_vector(unit: MemoryUnit) -> Vector | None:
    """None while it waits for one."""
    return None if unit.embedding is None else np.asarray(unit.embedding, dtype=np.float32)
