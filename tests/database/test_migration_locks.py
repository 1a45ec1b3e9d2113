"""Migrations run while the service serves: none makes readers and writers of a table wait for longer than a second.

MIGRATION_ROWS=1000000 pytest tests/database/test_migration_locks.py
"""

import os

import psycopg
import pytest
from django.apps.registry import Apps
from django.db import connections
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

from memoryplatform.embedded.postgres import EmbeddedPostgres
from tests.database.watched_migrations import apply, fill, list_later, watching

ROWS = int(os.environ.get("MIGRATION_ROWS", "20000"))


def list_tables(migration: Migration, apps: Apps) -> list[str]:
    """The tables of the models that the migration changes. Those that it makes have no rows."""
    names = {getattr(one, "model_name", getattr(one, "name", "")).lower() for one in migration.operations}
    models = [one for one in apps.get_models() if one._meta.app_label == migration.app_label]
    return [one._meta.db_table for one in models if one._meta.model_name in names]


def test_no_migration_locks_a_table_with_rows_for_longer_than_a_second(url: str) -> None:
    loader = MigrationLoader(connections["owner"])
    later = list_later(loader)
    assert later
    with psycopg.connect(url, autocommit=True) as superuser:
        for migration in later:
            key = (migration.app_label, migration.name)
            tables = list_tables(migration, loader.project_state(key, at_end=False).apps)
            for table in tables:
                fill(superuser, table, ROWS)
            with connections["owner"].cursor() as cursor:
                cursor.execute("SET lock_timeout = '1s'")
                cursor.execute("SELECT pg_backend_pid()")
                pid = cursor.fetchone()[0]
            with watching(url, pid, tables) as watch:
                apply([key])
            assert watch.faults == [], migration
            assert watch.requests or not tables
            with superuser.transaction():
                superuser.execute("SET LOCAL session_replication_role = replica")  # as they were filled
                for table in tables:
                    superuser.execute(f"DELETE FROM {table}")


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("ALTER TABLE banks_chunk ALTER COLUMN position TYPE numeric", "banks_chunk was written anew"),
        ("LOCK TABLE banks_chunk IN SHARE MODE; SELECT pg_sleep(1.3)", "a write of banks_chunk waited"),
        ("LOCK TABLE banks_chunk; SELECT pg_sleep(1.3)", "banks_chunk: AccessExclusiveLock for 1."),
    ],
    ids=["rewrite", "writers wait", "all wait"],
)
def test_the_watch_sees(postgres: EmbeddedPostgres, django_db_setup: None, statement: str, fault: str) -> None:
    url = postgres.superuser_url("memoryplatform")
    with psycopg.connect(url, autocommit=True) as superuser:
        fill(superuser, "banks_chunk", 10)
    try:
        with psycopg.connect(url) as changing:
            with watching(url, changing.info.backend_pid, ["banks_chunk"]) as watch:
                for one in statement.split(";"):
                    changing.execute(one)
                if "ALTER" in statement:
                    changing.commit()
            changing.rollback()
        assert any(one.startswith(fault) for one in watch.faults), watch
    finally:
        with psycopg.connect(url, autocommit=True) as superuser:
            superuser.execute("DELETE FROM banks_chunk")
            if "ALTER" in statement:
                superuser.execute("ALTER TABLE banks_chunk ALTER COLUMN position TYPE integer")
