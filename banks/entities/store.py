"""The rows of resolved mentions: names, keys, mentions, counts and companions, one statement each."""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Any
from uuid import UUID

from django.db import connection

from banks.entities.names.normalise import identity_key, index_keys, normalise_name, spelling_key
from banks.entities.types import MentionOf, Resolved
from banks.models import Bank, Entity
from tenants.identifiers import uuid7

LONGEST_KEY = 120
MOST_NAMES = 50  # of an entity: beyond that no further spelling of a known name is stored
LONGEST_SPELLING = 300

KnownName = tuple[UUID, str]  # an entity and a name that it has

INSERT_ENTITIES = """
INSERT INTO banks_entity (
    id, tenant_id, bank_id, name, identity, kind, first_seen_at, last_seen_at,
    summary, attributes, is_speaker, mention_count, created_at
)
SELECT id, %(tenant_id)s, %(bank_id)s, name, identity, kind, seen_at, seen_at, '', '{}'::jsonb, false, 0, now()
FROM unnest(%(id)s::uuid[], %(name)s::text[], %(identity)s::text[], %(kind)s::text[], %(seen_at)s::timestamptz[])
    AS given (id, name, identity, kind, seen_at)
ON CONFLICT (bank_id, identity, kind) DO NOTHING
"""

UPSERT_NAMES = """
INSERT INTO banks_entityname (id, tenant_id, bank_id, entity_id, name, normalised_name, uses)
SELECT id, %(tenant_id)s, %(bank_id)s, entity_id, name, normalised_name, uses
FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[], %(name)s::text[], %(normalised_name)s::text[], %(uses)s::int[])
    AS alias (id, entity_id, name, normalised_name, uses)
ON CONFLICT (bank_id, normalised_name, entity_id) DO UPDATE SET uses = banks_entityname.uses + excluded.uses
RETURNING entity_id, name
"""

# A known spelling is counted. A new one is stored while the entity has few names.
UPSERT_SPELLINGS = """
INSERT INTO banks_entityname (id, tenant_id, bank_id, entity_id, name, normalised_name, uses)
SELECT id, %(tenant_id)s, %(bank_id)s, entity_id, name, normalised_name, uses
FROM (
    SELECT given.*, known.count + row_number() OVER (PARTITION BY given.entity_id ORDER BY given.id) AS place, EXISTS (
        SELECT FROM banks_entityname AS same
        WHERE same.tenant_id = %(tenant_id)s AND same.bank_id = %(bank_id)s
          AND same.entity_id = given.entity_id AND same.normalised_name = given.normalised_name
    ) AS is_known
    FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[], %(name)s::text[], %(normalised_name)s::text[], %(uses)s::int[])
        AS given (id, entity_id, name, normalised_name, uses)
    CROSS JOIN LATERAL (
        SELECT count(*) FROM banks_entityname AS alias
        WHERE alias.tenant_id = %(tenant_id)s AND alias.entity_id = given.entity_id
    ) AS known
) AS spelling
WHERE is_known OR place <= %(most)s
ON CONFLICT (bank_id, normalised_name, entity_id) DO UPDATE SET uses = banks_entityname.uses + excluded.uses
"""

INSERT_KEYS = """
INSERT INTO banks_entitykey (id, tenant_id, bank_id, entity_id, key)
SELECT id, %(tenant_id)s, %(bank_id)s, entity_id, key
FROM unnest(%(id)s::uuid[], %(entity_id)s::uuid[], %(key)s::text[]) AS given (id, entity_id, key)
ON CONFLICT (bank_id, key, entity_id) DO NOTHING
"""

INSERT_MENTIONS = """
INSERT INTO banks_mention (id, tenant_id, unit_id, entity_id, name)
SELECT id, %(tenant_id)s, unit_id, entity_id, name
FROM unnest(%(id)s::uuid[], %(unit_id)s::uuid[], %(entity_id)s::uuid[], %(name)s::text[])
    AS given (id, unit_id, entity_id, name)
ON CONFLICT (entity_id, unit_id) DO NOTHING
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


def insert_entities(bank: Bank, mentions: Sequence[MentionOf]) -> None:
    """Insert an entity for each new pair of name and kind."""
    execute(
        INSERT_ENTITIES,
        bank,
        id=[uuid7() for _ in mentions],
        name=[mention.name for mention in mentions],
        identity=[identity_key(mention.name) for mention in mentions],
        kind=[mention.kind.value for mention in mentions],
        seen_at=[mention.seen_at for mention in mentions],
    )


def store_names(bank: Bank, resolved: Sequence[Resolved], *, known: AbstractSet[KnownName] = frozenset()) -> None:
    """A known name has its keys already and is only counted."""
    first_written = count_names(bank, resolved)
    count_spellings(bank, [one for one in resolved if (one.entity_id, spelling_key(one.name)) not in first_written])
    fresh = {(one.entity_id, one.name) for one in resolved} - known
    keys = sorted({(entity_id, key) for entity_id, name in fresh for key in list_keys([name])})
    execute(
        INSERT_KEYS,
        bank,
        id=[uuid7() for _ in keys],
        entity_id=[entity_id for entity_id, _ in keys],
        key=[key for _, key in keys],
    )


def list_keys(names: Iterable[str]) -> set[str]:
    """The index keys of the names, without those that are too long for their column."""
    return {key for name in names for key in index_keys(name) if len(key) <= LONGEST_KEY}


def find_namesake(bank: Bank, identity: str, kind: str, *, but: UUID | None = None) -> Entity | None:
    """The other entity with this identity and kind: there can be only one. Call inside a tenant transaction."""
    same = Entity.objects.of_bank(bank).filter(identity=identity, kind=kind)
    return (same.exclude(id=but) if but else same).first()


def count_names(bank: Bank, resolved: Sequence[Resolved]) -> set[KnownName]:
    """Count one row for each normal form. Returns the spellings of these rows, which are the first ones."""
    uses = Counter((one.entity_id, normalise_name(one.name)) for one in resolved)
    spelling = {(one.entity_id, normalise_name(one.name)): one.name for one in reversed(resolved)}
    rows = execute(
        UPSERT_NAMES,
        bank,
        id=[uuid7() for _ in uses],
        entity_id=[entity_id for entity_id, _ in uses],
        name=[spelling[key] for key in uses],
        normalised_name=[normalised for _, normalised in uses],
        uses=list(uses.values()),
    )
    return {(entity_id, spelling_key(name)) for entity_id, name in rows}


def count_spellings(bank: Bank, resolved: Sequence[Resolved]) -> None:
    """Count the other spellings of known names: Google Inc. beside Google, José beside Jose."""
    uses = Counter((one.entity_id, spelling_key(one.name)) for one in resolved)
    kept = [(entity_id, key) for entity_id, key in uses if len(key) <= LONGEST_SPELLING]
    written = {(one.entity_id, spelling_key(one.name)): one.name for one in reversed(resolved)}
    execute(
        UPSERT_SPELLINGS,
        bank,
        id=[uuid7() for _ in kept],
        entity_id=[entity_id for entity_id, _ in kept],
        name=[written[one] for one in kept],
        normalised_name=[key for _, key in kept],
        uses=[uses[one] for one in kept],
        most=MOST_NAMES,
    )


def store_mentions(bank: Bank, resolved: Sequence[Resolved]) -> None:
    """A unit mentions an entity once."""
    names = {(one.entity_id, one.naming.unit_id): one.name for one in resolved}
    execute(
        INSERT_MENTIONS,
        bank,
        id=[uuid7() for _ in names],
        unit_id=[unit_id for _, unit_id in names],
        entity_id=[entity_id for entity_id, _ in names],
        name=list(names.values()),
    )
    counts = Counter(entity_id for entity_id, _ in names)
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


def execute(statement: str, bank: Bank, *, most: int = 0, **columns: list[object]) -> list[tuple[Any, ...]]:
    """Returns the rows of the statement, if it returns any."""
    if not any(columns.values()):
        return []
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id, "most": most, **columns})
        return list(cursor.fetchall()) if cursor.description else []
