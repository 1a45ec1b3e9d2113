"""The plan for distributing the tables over the servers of a Citus cluster by tenant.

A row of a tenant lies on the server of its tenant. Tables that are read before the tenant is known, and those without a
tenant, are reference tables: every server has a copy. Citus wants the tenant in each primary key and unique key, so the
plan replaces keys first. A key such as (bank_id, number) has the same meaning with the tenant in it, because a bank
belongs to one tenant.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connections
from psycopg import sql

OWNER = "owner"
COLUMN = "tenant_id"
# Read by the digest of a key, by a person or by a worker, before the tenant is known.
READ_WITHOUT_TENANT = frozenset(
    {"tenants_apikey", "tenants_connectedapp", "tenants_invitation", "tenants_member", "operations_dispatch"}
)
TABLES = """
SELECT c.relname, EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = %s AND NOT a.attisdropped
)
FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname
"""
KEYS = """
SELECT t.relname, i.relname, con.conname, x.indisprimary, pg_get_indexdef(i.oid)
FROM pg_index x
JOIN pg_class t ON t.oid = x.indrelid
JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_constraint con ON con.conindid = i.oid AND con.contype IN ('p', 'u')
WHERE x.indisunique AND t.relname = ANY(%s) AND NOT EXISTS (
    SELECT FROM pg_attribute a
    WHERE a.attrelid = t.oid AND a.attname = %s AND a.attnum = ANY (x.indkey::int2[])
)
ORDER BY t.relname, i.relname
"""
REFERENCES = """
SELECT con.conrelid::regclass::text, con.confrelid::regclass::text, con.conname, EXISTS (
    SELECT FROM pg_attribute a
    WHERE a.attrelid = con.conrelid AND a.attname = %s AND a.attnum = ANY (con.conkey)
)
FROM pg_constraint con WHERE con.contype = 'f' AND con.connamespace = 'public'::regnamespace
"""


@dataclass(frozen=True)
class UniqueKey:
    """A unique index without the tenant. `constraint` is None if an index alone makes the key."""

    table: str
    index: str
    constraint: str | None
    is_primary: bool
    definition: str

    def list_replacement(self) -> Iterator[sql.Composed]:
        table, index = sql.Identifier(self.table), sql.Identifier(self.index)
        if self.constraint:
            drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
            yield drop.format(table, sql.Identifier(self.constraint))
        else:
            yield sql.SQL("DROP INDEX {}").format(index)
        if self.is_primary:
            yield sql.SQL("ALTER TABLE {} ADD PRIMARY KEY (tenant_id, id)").format(table)
        else:
            head, _, rest = self.definition.partition(" (")
            yield sql.SQL("{}").format(sql.SQL(f"{head} ({COLUMN}, {rest}"))


@dataclass(frozen=True)
class Plan:
    """`faults` are foreign keys that Citus would refuse."""

    distributed: Sequence[str]
    reference: Sequence[str]
    keys: Sequence[UniqueKey]
    faults: Sequence[str]

    def list_key_changes(self) -> list[sql.Composed]:
        return [statement for key in self.keys for statement in key.list_replacement()]

    def list_placements(self) -> list[sql.Composed]:
        """Reference tables first: a foreign key may lead from a distributed table to one of them."""
        first = self.distributed[0]
        spread = sql.SQL("SELECT create_distributed_table({}, 'tenant_id', colocate_with => {})")
        return [
            *[sql.SQL("SELECT create_reference_table({})").format(sql.Literal(name)) for name in self.reference],
            *[
                spread.format(sql.Literal(name), sql.Literal("none" if name == first else first))
                for name in self.distributed
            ],
        ]


def build_plan(using: str = OWNER) -> Plan:
    with connections[using].cursor() as cursor:
        cursor.execute(TABLES, [COLUMN])
        tables = dict(cursor.fetchall())
        distributed = [name for name, owned in tables.items() if owned and name not in READ_WITHOUT_TENANT]
        cursor.execute(KEYS, [distributed, COLUMN])
        keys = [UniqueKey(*row) for row in cursor.fetchall()]
        cursor.execute(REFERENCES, [COLUMN])
        faults = [
            f"{source} -> {target} ({name})"
            for source, target, name, has_tenant in cursor.fetchall()
            if (target in distributed and source not in distributed)
            or (target in distributed and source in distributed and not has_tenant)
        ]
    return Plan(distributed, [name for name in tables if name not in distributed], keys, faults)


def has_citus(using: str = OWNER) -> bool:
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')")
        return bool(cursor.fetchone()[0])
