"""Migrations that run while the service serves: their list, rows for their tables, and a watch on their locks."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.apps import apps
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

INITIAL = {  # they create the tables of a new database, which nobody uses yet
    ("tenants", "0001_initial"),
    ("tenants", "0002_tenants"),
    ("banks", "0001_initial"),
    ("operations", "0001_initial"),
    ("reflection", "0001_initial"),
    ("retrieval", "0001_initial"),
}
OURS = {app for app, _ in INITIAL}
LIMIT_SECONDS = 1.0
POLL_SECONDS = 0.01
# Weaker modes let readers and writers work.
BLOCKING = ("ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock")
VALUES = {
    "uuid": "gen_random_uuid()",
    "text": "'text ' || n",
    "character varying": "left(md5(n::text), 8)",
    "timestamp with time zone": "now() - n * interval '1 second'",
    "date": "current_date",
    "boolean": "false",
    "jsonb": "'{}'",
    "bytea": "decode(md5(n::text), 'hex')",
    "double precision": "0.5",
    "smallint": "1",
    "integer": "1",
    "bigint": "1",
    "ARRAY": "'{}'",
    "inet": "'127.0.0.1'",
}
# Of columns whose constraints refuse the plain value of their type, in all tables or in one.
OWN_VALUES = {
    "extraction_mode": "'narrative'",
    "close_reason": "''",
    "network": "'world'",
    "max_tokens": "1024",
    "allauth_idp_oidc_token.type": "'ia'",
    "banks_cooccurrence.first_id": "'00000000-0000-0000-0000-000000000000'",
    "banks_link.type": "'semantic'",
    "banks_message.role": "'user'",
    "operations_erasure.kind": "'entity'",
    "operations_llmrequest.task": "'extract'",
    "operations_operation.status": "'pending'",
    "reflection_retentionrule.action": "'delete'",
    "retrieval_feedback.unit_id": "gen_random_uuid()",
    "tenants_apikey.scopes": "'{read}'",
    "tenants_connectedapp.scopes": "'{read}'",
    "tenants_delivery.status": "'pending'",
    "tenants_invitation.role": "'member'",
    "tenants_member.role": "'member'",
    "tenants_ownllm.task": "'extract'",
    "tenants_ownllm.key_ending": "'abcd'",
}
NUMBERS = {"smallint", "integer", "bigint"}
COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = %s AND is_nullable = 'NO' AND column_default IS NULL
  AND is_identity = 'NO' AND is_generated = 'NEVER'
"""
UNIQUE = """
SELECT DISTINCT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
WHERE i.indisunique AND i.indrelid = %s::regclass
"""
LOCKS = """
SELECT l.relation::regclass::text, l.mode, l.granted FROM pg_locks AS l
WHERE l.pid = %s AND l.locktype = 'relation' AND l.mode = ANY (%s) AND l.relation::regclass::text = ANY (%s)
"""


def list_plan(loader: MigrationLoader) -> list[tuple[str, str]]:
    """All migrations in the order in which they are applied."""
    return list(dict.fromkeys(key for leaf in loader.graph.leaf_nodes() for key in loader.graph.forwards_plan(leaf)))


def list_later(loader: MigrationLoader) -> list[Migration]:
    """Our migrations after the initial ones."""
    return [loader.graph.nodes[key] for key in list_plan(loader) if key[0] in OURS and key not in INITIAL]


def apply(keys: list[tuple[str, str]]) -> None:
    executor = MigrationExecutor(connections["owner"])
    executor.migrate(keys, plan=[(executor.loader.graph.nodes[key], False) for key in keys])


def fill(superuser: "psycopg.Connection", table: str, count: int) -> None:
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute(build_insert(superuser, table), [count])


def build_insert(superuser: "psycopg.Connection", table: str) -> sql.Composed:
    """Rows of plain values without foreign keys, as many as its parameter says.

    A column whose constraint refuses a plain value is in OWN_VALUES.
    """
    unique = {name for (name,) in superuser.execute(UNIQUE, [table]).fetchall()}
    own = {name: value for name, value in OWN_VALUES.items() if "." not in name}
    of_table = {
        name.removeprefix(f"{table}."): value for name, value in OWN_VALUES.items() if name.startswith(f"{table}.")
    }
    values = {
        name: "n" if kind in NUMBERS and name in unique else own.get(name, VALUES[kind])
        for name, kind in superuser.execute(COLUMNS, [table]).fetchall()
    } | of_table
    return sql.SQL("INSERT INTO {} ({}) SELECT {} FROM generate_series(1, %s) AS n").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(map(sql.SQL, values.values())),
    )


@dataclass
class Watch:
    """`held` is the longest time of a lock that makes others wait; `failed` are requests that waited too long."""

    held: dict[tuple[str, str], float] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    requests: int = 0
    rewritten: list[str] = field(default_factory=list)

    @property
    def faults(self) -> list[str]:
        long = [
            f"{table}: {mode} for {held:.1f} s" for (table, mode), held in self.held.items() if held > LIMIT_SECONDS
        ]
        return [*long, *self.failed, *(f"{table} was written anew" for table in self.rewritten)]


@contextmanager
def watching(url: str, pid: int, tables: list[str]) -> Iterator[Watch]:
    """Reads and writes the tables, and looks at the locks of the process `pid`, until the block ends."""
    watch, stop = Watch(), threading.Event()
    before = read_files(url, tables)
    acts: list[Callable[[], None]] = [lambda: watch_locks(url, pid, tables, watch, stop)]
    for table in tables:
        acts += [lambda table=table: use(url, table, watch, stop, write=False)]  # type: ignore[misc]
        acts += [lambda table=table: use(url, table, watch, stop, write=True)]  # type: ignore[misc]
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    try:
        while tables and not watch.requests and any(thread.is_alive() for thread in threads):
            time.sleep(POLL_SECONDS)
        yield watch
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    watch.rewritten += [table for table, file in read_files(url, tables).items() if file != before[table]]


def read_files(url: str, tables: list[str]) -> dict[str, Any]:
    """A rewrite gives a table another file."""
    with psycopg.connect(url) as connection:
        query = "SELECT relname, relfilenode FROM pg_class WHERE relname = ANY (%s) AND relkind = 'r'"
        return dict(connection.execute(query, [tables]).fetchall())


def watch_locks(url: str, pid: int, tables: list[str], watch: Watch, stop: threading.Event) -> None:
    since: dict[tuple[str, str], float] = {}
    with psycopg.connect(url, autocommit=True) as connection:
        while not stop.is_set():
            now = time.monotonic()
            seen = {(t, m) for t, m, _ in connection.execute(LOCKS, [pid, list(BLOCKING), tables]).fetchall()}
            since = {key: since.get(key, now) for key in seen}
            for key, began in since.items():
                watch.held[key] = max(watch.held.get(key, 0.0), now - began)
            time.sleep(POLL_SECONDS)


def find_key(table: str) -> str:
    return next(str(model._meta.pk.column) for model in apps.get_models() if model._meta.db_table == table)


def use(url: str, table: str, watch: Watch, stop: threading.Event, *, write: bool) -> None:
    """Requests of a service that gives up after a second."""
    name = sql.Identifier(table)
    read_one = sql.SQL("SELECT count(*) FROM (SELECT FROM {} LIMIT 100) AS page").format(name)
    key = sql.Identifier(find_key(table))
    copy_one = sql.SQL("UPDATE {table} SET {key} = {key} WHERE ctid = (SELECT ctid FROM {table} LIMIT 1)").format(
        table=name, key=key
    )
    with psycopg.connect(url, autocommit=True, options="-c lock_timeout=1s") as connection:
        while not stop.is_set():
            try:
                connection.execute(copy_one if write else read_one)
            except psycopg.errors.LockNotAvailable:
                watch.failed.append(f"{'a write' if write else 'a read'} of {table} waited longer than a second")
            watch.requests += 1
            time.sleep(POLL_SECONDS)
