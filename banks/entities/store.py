"""The rows of resolved mentions: names, keys, mentions, counts and companions, a statement each."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from uuid import UUID

from django.db import connection

from banks.entities.named import Resolved
from banks.entities.normalise import index_keys, normalise_name
from banks.models import Bank, EntityKey, Mention
from tenants.identifiers import uuid7

LONGEST_KEY = 120

UPSERT_NAMES = """
INSERT INTO banks_entityname (id, tenant_id, bank_id, entity_id, name, normalised_name, uses)
SELECT id, %(tenant_id)s, %(bank_id)s, entity_id, name, normalised_name, uses
FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[], %(name)s::text[], %(normalised_name)s::text[], %(uses)s::int[])
    AS alias (id, entity_id, name, normalised_name, uses)
ON CONFLICT (bank_id, normalised_name, entity_id) DO UPDATE SET uses = banks_entityname.uses + excluded.uses
"""

COUNT_MENTIONS = """
UPDATE banks_entity AS entity SET
    mention_count = entity.mention_count + seen.count,
    last_seen_at = greatest(entity.last_seen_at, seen.at),
    first_seen_at = least(entity.first_seen_at, seen.at),
    is_speaker = entity.is_speaker OR seen.speaks
FROM unnest(%(id)s::uuid[], %(count)s::int[], %(at)s::timestamptz[], %(speaks)s::bool[]) AS seen (id, count, at, speaks)
WHERE entity.tenant_id = %(tenant_id)s AND entity.id = seen.id
"""

UPSERT_COMPANIONS = """
INSERT INTO banks_cooccurrence (id, tenant_id, first_id, second_id, count)
SELECT id, %(tenant_id)s, first_id, second_id, count
FROM unnest(%(id)s::uuid[], %(first_id)s::uuid[], %(second_id)s::uuid[], %(count)s::int[])
    AS pair (id, first_id, second_id, count)
ON CONFLICT (first_id, second_id) DO UPDATE SET count = banks_cooccurrence.count + excluded.count
"""


def store_names(bank: Bank, resolved: Sequence[Resolved]) -> None:
    uses = Counter((one.entity_id, normalise_name(one.name)) for one in resolved)
    spelling = {(one.entity_id, normalise_name(one.name)): one.name for one in reversed(resolved)}
    execute(
        UPSERT_NAMES,
        bank,
        id=[uuid7() for _ in uses],
        entity_id=[entity_id for entity_id, _ in uses],
        name=[spelling[key] for key in uses],
        normalised_name=[normalised for _, normalised in uses],
        uses=list(uses.values()),
    )
    keys = {(one.entity_id, key) for one in resolved for key in index_keys(one.name) if len(key) <= LONGEST_KEY}
    rows = [EntityKey(entity_id=entity_id, bank_id=bank.id, key=key) for entity_id, key in sorted(keys)]
    EntityKey.objects.for_tenant(bank.tenant_id).bulk_create(rows, ignore_conflicts=True)


def store_mentions(bank: Bank, resolved: Sequence[Resolved]) -> None:
    """A unit that is told again mentions nobody anew."""
    rows = {
        (one.entity_id, one.naming.unit_id): Mention(unit_id=one.naming.unit_id, entity_id=one.entity_id, name=one.name)
        for one in resolved
    }
    Mention.objects.for_tenant(bank.tenant_id).bulk_create(rows.values(), ignore_conflicts=True)
    counts = Counter(entity_id for entity_id, _ in rows)
    latest = {one.entity_id: one.naming.seen_at for one in sorted(resolved, key=lambda one: one.naming.seen_at)}
    speakers = {one.entity_id for one in resolved if one.name in one.naming.speakers}
    execute(
        COUNT_MENTIONS,
        bank,
        id=list(counts),
        count=list(counts.values()),
        at=[latest[entity_id] for entity_id in counts],
        speaks=[entity_id in speakers for entity_id in counts],
    )


def store_companions(bank: Bank, resolved: Sequence[Resolved]) -> None:
    together: dict[UUID, set[UUID]] = {}
    for one in resolved:
        together.setdefault(one.naming.unit_id, set()).add(one.entity_id)
    pairs = Counter(pair for ids in together.values() for pair in combinations(sorted(ids), 2))
    execute(
        UPSERT_COMPANIONS,
        bank,
        id=[uuid7() for _ in pairs],
        first_id=[first for first, _ in pairs],
        second_id=[second for _, second in pairs],
        count=list(pairs.values()),
    )


def execute(statement: str, bank: Bank, **columns: list[object]) -> None:
    if any(columns.values()):
        with connection.cursor() as cursor:
            cursor.execute(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id, **columns})
