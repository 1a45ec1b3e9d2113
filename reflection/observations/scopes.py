"""Scopes: the facts of one entity under the same tags, observed together and apart from all others.

Tags keep people apart within a bank, so an observation never mixes facts with different tags.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db import connection
from django.db.models import Exists, OuterRef
from django.db.models.functions import Collate

from banks.models import Bank, UnitTag
from banks.models.unit import UnitQuerySet
from reflection.models import ObservedEntity, ObservedScope

MOST_AT_ONCE = 20  # scopes of one refresh: an entity with more goes on in the next one
UNCOMMITTED = timedelta(minutes=1)  # changes of a transaction that was still open when a refresh began
FIRST_WAIT = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)

# The fingerprint sums the times at which the current facts of a scope last changed, so it differs as soon as a fact is
# added, removed or altered. ObservedScope stores it in the column `told`. A scope without facts has observations to
# close or a row to delete. The only scope of an entity is observed whenever the entity is marked.
FIND = """
WITH facts AS (
    SELECT unit.tags_hash, sum(extract(epoch FROM unit.updated_at))::text AS fingerprint
    FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = %(tenant_id)s AND mention.entity_id = %(entity_id)s
      AND unit.bank_id = %(bank_id)s AND unit.network IN ('world', 'experience')
      AND unit.expired_at IS NULL AND (unit.valid_until IS NULL OR unit.valid_until > %(now)s)
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
)
SELECT tags_hash, facts.fingerprint, known.seen_until, known.refused_since,
    %(altered_at)s::timestamptz IS NOT NULL AND known.altered_at IS DISTINCT FROM %(altered_at)s::timestamptz
FROM every LEFT JOIN facts USING (tags_hash) LEFT JOIN known USING (tags_hash)
WHERE facts.fingerprint IS NULL OR (
    (known.told IS DISTINCT FROM facts.fingerprint OR (SELECT count(*) FROM facts) = 1)
    AND (
        known.due_at IS NULL OR known.due_at <= %(now)s
        OR known.altered_at IS DISTINCT FROM %(altered_at)s::timestamptz
    )
)
ORDER BY facts.fingerprint IS NOT NULL, known.seen_until NULLS FIRST, tags_hash
LIMIT %(most)s
"""

# The tags of a unit whose own tags give the hash. A unit may still have the hash of former tags after its document came
# again with other ones.
FIND_TAGS = """
SELECT own.tags FROM banks_memoryunit AS unit
CROSS JOIN LATERAL (
    SELECT array_agg(tag.tag::text ORDER BY tag.tag COLLATE "C") AS tags FROM banks_unittag AS tag
    WHERE tag.tenant_id = unit.tenant_id AND tag.unit_id = unit.id
) AS own
JOIN banks_mention AS mention ON mention.tenant_id = unit.tenant_id AND mention.unit_id = unit.id
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND mention.entity_id = %(entity_id)s
  AND unit.tags_hash = %(tags_hash)s AND unit.expired_at IS NULL AND unit.network IN ('world', 'experience')
  AND substring(sha256(convert_to(array_to_string(own.tags, E'\\n'), 'UTF8')) FOR 16) = unit.tags_hash
LIMIT 1
"""


@dataclass(frozen=True)
class Scope:
    """Facts of an entity under the same tags that differ from the facts of the last refresh.

    `fingerprint` is None where no fact is left. `is_altered`: some of the observed facts were edited, closed or
    deleted. `tags` are filled in by `read_tags`.
    """

    tags_hash: bytes = b""
    fingerprint: str | None = None
    seen_until: datetime | None = None
    refused_since: datetime | None = None
    is_altered: bool = False
    tags: tuple[str, ...] = ()

    @property
    def is_gone(self) -> bool:
        return self.fingerprint is None

    @property
    def unread_since(self) -> datetime | None:
        """Changes after this moment were not read by any refresh; None before the first one."""
        return self.seen_until - UNCOMMITTED if self.seen_until and self.is_altered else self.seen_until


def find_touched(bank: Bank, state: ObservedEntity, *, now: datetime, most: int) -> list[Scope]:
    """Scopes without facts first, then those that wait longest. A refused scope is left out until it is due."""
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
    """None where no fact has the tags that give the scope's hash."""
    if not scope.tags_hash:
        return ()
    owners: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id}
    given = owners | {"entity_id": entity_id, "tags_hash": scope.tags_hash}
    with connection.cursor() as cursor:
        cursor.execute(FIND_TAGS, given)
        row = cursor.fetchone()
    return tuple(row[0]) if row else None


def filter_tagged(bank: Bank, units: UnitQuerySet, tags: tuple[str, ...]) -> UnitQuerySet:
    """Units that have exactly these tags."""
    own = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=OuterRef("pk"))
    if not tags:
        return units.filter(~Exists(own))
    in_order = own.annotate(plain=Collate("tag", "C")).order_by("plain")
    return units.alias(own_tags=ArraySubquery(in_order.values("tag"))).filter(own_tags=sorted(tags))


def save_scope(bank: Bank, state: ObservedEntity, scope: Scope, **columns: Any) -> None:
    known = {"altered_at": state.altered_at, "bank": bank} | columns
    scopes = ObservedScope.objects.for_tenant(bank.tenant_id)
    scopes.update_or_create(entity_id=state.entity_id, tags_hash=scope.tags_hash, defaults=known)


def delete_scope(bank: Bank, state: ObservedEntity, scope: Scope) -> None:
    scopes = ObservedScope.objects.of_bank(bank)
    scopes.filter(entity_id=state.entity_id, tags_hash=scope.tags_hash).delete()


def postpone_scope(bank: Bank, state: ObservedEntity, scope: Scope, *, now: datetime) -> None:
    """A refused scope stays stale, and nothing else waits for it. Call inside a tenant transaction.

    Each wait is as long as the refusals have lasted so far, so the waits double. A fact that was altered meanwhile may
    be the refused one: then the scope stays due.
    """
    since = scope.refused_since or now
    wait = min(max(now - since, FIRST_WAIT), LONGEST_WAIT)
    save_scope(bank, state, scope, refused_since=since, due_at=now + wait)
