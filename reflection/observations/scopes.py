"""Facts under the same tags are observed together and apart from all others: tags keep people apart within a bank."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import Exists, OuterRef
from django.db.models.functions import Collate

from banks.models import Bank, UnitTag
from banks.models.unit import UnitQuerySet
from reflection.models import ObservedEntity, ObservedScope

MOST_AT_ONCE = 20  # scopes of one refresh: the rest of an entity that everybody speaks of goes on in the next

# `told` is the sum of the moments at which its facts last changed, and of those from which the relationships hold that
# they tell: another one as soon as anything came, went or was altered, however that happened. A scope without facts has
# observations to close, or a row to forget; the only scope of an entity is observed whenever the entity is marked.
FIND = """
WITH facts AS (
    SELECT unit.tags_hash, count(*) AS count, sum(extract(epoch FROM unit.updated_at)) AS told
    FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.entity_id = %(entity_id)s
      AND unit.bank_id = %(bank_id)s AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
    GROUP BY unit.tags_hash
), held AS (
    SELECT unit.tags_hash, sum(extract(epoch FROM edge.recorded_at)) AS told
    FROM banks_relationship AS edge
    JOIN banks_relationshipsource AS source ON source.tenant_id = edge.tenant_id AND source.relationship_id = edge.id
    JOIN banks_memoryunit AS unit ON unit.tenant_id = source.tenant_id AND unit.id = source.unit_id
    WHERE edge.tenant_id = %(tenant_id)s AND edge.bank_id = %(bank_id)s AND edge.expired_at IS NULL
      AND (edge.subject_id = %(entity_id)s OR edge.object_id = %(entity_id)s) AND unit.expired_at IS NULL
    GROUP BY unit.tags_hash
), known AS (
    SELECT * FROM reflection_observedscope WHERE tenant_id = %(tenant_id)s AND entity_id = %(entity_id)s
), every AS (
    SELECT tags_hash FROM facts
    UNION SELECT tags_hash FROM known
    UNION SELECT unit.tags_hash
    FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.entity_id = %(entity_id)s
      AND unit.bank_id = %(bank_id)s AND unit.expired_at IS NULL AND unit.network = 'observation'
), summed AS (
    SELECT tags_hash, count, (facts.told + coalesce(held.told, 0))::text AS told
    FROM facts LEFT JOIN held USING (tags_hash)
)
SELECT tags_hash, coalesce(summed.count, 0), summed.told, known.seen_until, known.refused_since,
    %(altered_at)s::timestamptz IS NOT NULL AND known.altered_at IS DISTINCT FROM %(altered_at)s::timestamptz
FROM every LEFT JOIN summed USING (tags_hash) LEFT JOIN known USING (tags_hash)
WHERE summed.told IS NULL OR (
    (known.told IS DISTINCT FROM summed.told OR (SELECT count(*) FROM facts) = 1)
    AND (
        known.due_at IS NULL OR known.due_at <= %(now)s
        OR known.altered_at IS DISTINCT FROM %(altered_at)s::timestamptz
    )
)
ORDER BY summed.told IS NOT NULL, known.seen_until NULLS FIRST, tags_hash
LIMIT %(most)s
"""

# Of a unit whose tags are those of the hash. After a document came again with other tags, one may still have the hash
# of the former: the words that it tells are told elsewhere under its tags.
FIND_TAGS = """
SELECT worn.tags FROM banks_memoryunit AS unit
CROSS JOIN LATERAL (
    SELECT array_agg(tag.tag::text ORDER BY tag.tag COLLATE "C") AS tags FROM banks_unittag AS tag
    WHERE tag.tenant_id = unit.tenant_id AND tag.unit_id = unit.id
) AS worn
JOIN banks_mention AS mention ON mention.tenant_id = unit.tenant_id AND mention.unit_id = unit.id
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND mention.entity_id = %(entity_id)s
  AND unit.tags_hash = %(tags_hash)s AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
  AND substring(sha256(convert_to(array_to_string(worn.tags, E'\\n'), 'UTF8')) FOR 16) = unit.tags_hash
LIMIT 1
"""


@dataclass(frozen=True)
class Scope:
    """Facts of an entity under the same tags, where they are not what was last observed.

    `told` is None where none are left. `is_altered`: some that were observed may be otherwise by now, or gone.
    """

    tags_hash: bytes = b""
    facts: int = 0
    told: str | None = None
    seen_until: datetime | None = None
    refused_since: datetime | None = None
    is_altered: bool = False

    @property
    def is_gone(self) -> bool:
        return self.told is None


def find_touched(bank: Bank, state: ObservedEntity, *, now: datetime, most: int) -> list[Scope]:
    """Those without facts first, then what waits longest; not what was refused and is not due yet.

    Call inside a tenant transaction.
    """
    given: dict[str, Any] = {
        "tenant_id": bank.tenant_id,
        "bank_id": bank.id,
        "entity_id": state.entity_id,
        "altered_at": state.altered_at,
        "now": now,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(FIND, given)
        return [Scope(bytes(tags_hash), *rest) for tags_hash, *rest in cursor.fetchall()]


def read_tags(bank: Bank, entity_id: UUID, scope: Scope) -> tuple[str, ...] | None:
    """None where no fact wears the tags that the scope is named after. Call inside a tenant transaction."""
    if not scope.tags_hash:
        return ()
    owners: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id}
    given = owners | {"entity_id": entity_id, "tags_hash": scope.tags_hash}
    with connection.cursor() as cursor:
        cursor.execute(FIND_TAGS, given)
        row = cursor.fetchone()
    return tuple(row[0]) if row else None


def filter_worn(bank: Bank, units: UnitQuerySet, tags: tuple[str, ...]) -> UnitQuerySet:
    """Those that have exactly these tags."""
    own = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=OuterRef("pk"))
    if not tags:
        return units.filter(~Exists(own))
    in_order = own.annotate(plain=Collate("tag", "C")).order_by("plain")
    return units.alias(worn=ArraySubquery(in_order.values("tag"))).filter(worn=sorted(tags))


def keep_scope(bank: Bank, state: ObservedEntity, scope: Scope, **columns: Any) -> None:
    """What is known of it from now on; with what it was asked after. Call inside a tenant transaction."""
    known = {"altered_at": state.altered_at, "bank": bank} | columns
    scopes = ObservedScope.objects.for_tenant(bank.tenant_id)
    scopes.update_or_create(entity_id=state.entity_id, tags_hash=scope.tags_hash, defaults=known)


def forget_scope(bank: Bank, state: ObservedEntity, scope: Scope) -> None:
    scopes = ObservedScope.objects.of_bank(bank)
    scopes.filter(entity_id=state.entity_id, tags_hash=scope.tags_hash).delete()
