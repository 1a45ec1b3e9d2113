"""Migrations that run while the service serves: their list, rows for their tables, and a watch on their locks."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.apps import apps
from django.db.migrations import Migration
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
}
# Of columns whose constraints refuse the plain value of their type.
OWN_VALUES = {"extraction_mode": "'narrative'", "close_reason": "''", "network": "'world'", "max_tokens": "1024"}
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


def fill(superuser: "psycopg.Connection", table: str, count: int) -> None:
    """Rows of plain values without foreign keys. A column whose constraint refuses one is in OWN_VALUES."""
    unique = {name for (name,) in superuser.execute(UNIQUE, [table]).fetchall()}
    columns = superuser.execute(COLUMNS, [table]).fetchall()
    numbered = {"smallint", "integer", "bigint"}
    values = [
        "n" if kind in numbered and name in unique else OWN_VALUES.get(name, VALUES[kind]) for name, kind in columns
    ]
    insert = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM generate_series(1, %s) AS n").format(
        sql.Identifier(table),
        sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns),
        sql.SQL(", ").join(sql.SQL(value) for value in values),
    )
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute(insert, [count])


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
