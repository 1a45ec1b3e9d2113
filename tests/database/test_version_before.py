"""While a cluster is upgraded, processes of the version before read and write tables of the new schema.

The version before knows the columns of the initial migrations. Its statements run against the newest schema.
"""

import psycopg
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from tests.database.watched_migrations import apply, build_insert, list_later

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
ALL_COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"


def test_the_version_before_reads_and_writes_every_table(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as superuser:
        superuser.execute("SET session_replication_role = replica")  # rows without those that they point at
        tables = [table for (table,) in superuser.execute(TABLES).fetchall() if table != "django_migrations"]
        inserts = {table: build_insert(superuser, table) for table in tables}
        columns = {table: [name for (name,) in superuser.execute(ALL_COLUMNS, [table])] for table in tables}
        for insert in inserts.values():
            with superuser.transaction(force_rollback=True):
                superuser.execute(insert, [1])
        loader = MigrationLoader(connections["owner"])
        assert list_later(loader)
        apply([(migration.app_label, migration.name) for migration in list_later(loader)])
        assert len(tables) > 60
        for table in tables:
            names = sql.SQL(", ").join(map(sql.Identifier, columns[table]))
            superuser.execute(inserts[table], [1])
            rows = superuser.execute(sql.SQL("SELECT {} FROM {}").format(names, sql.Identifier(table)))
            assert rows.fetchone(), table
    assert not list_waiting(MigrationLoader(connections["owner"]))


def list_waiting(loader: MigrationLoader) -> list[tuple[str, str]]:
    return [key for key in loader.graph.nodes if key not in loader.applied_migrations]
