"""Rules for new migrations, read from their SQL: indexes are built concurrently, constraints are validated later.

Tables that a migration creates are free of the rules, because they have no rows yet.
"""

import re
from collections.abc import Iterator

import pytest
from django.db import connections, migrations, models
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from pytest_django.plugin import DjangoDbBlocker

from tests.database.watched_migrations import list_later

NAME = r'"?(?P<table>\w+)"?'
RULES = {
    rf"CREATE (UNIQUE )?INDEX (?!CONCURRENTLY).* ON (ONLY )?{NAME}": "AddIndexConcurrently builds an index",
    rf"DROP INDEX (?!CONCURRENTLY)(IF EXISTS )?{NAME}": "RemoveIndexConcurrently drops an index",
    rf"ALTER TABLE {NAME} ADD CONSTRAINT (?!.*(NOT VALID|USING INDEX))": (
        "AddConstraintNotValid adds a constraint, and ValidateConstraint in a later migration checks the rows; a "
        "unique one is made of an index that was built concurrently (USING INDEX)"
    ),
    rf"ALTER TABLE {NAME} ADD COLUMN .*\b(REFERENCES|UNIQUE|PRIMARY KEY)\b": "a column comes without a constraint",
    rf"ALTER TABLE {NAME} ADD COLUMN (?!.*\bDEFAULT\b).* NOT NULL": "a column is null or has a db_default",
    rf"ALTER TABLE {NAME} ALTER COLUMN \S+ DROP DEFAULT": "the version before writes rows without it: use db_default",
    rf"ALTER TABLE {NAME} ALTER COLUMN \S+ (SET DATA )?TYPE": "another type writes the table anew: add a column",
    rf"ALTER TABLE {NAME} ALTER COLUMN \S+ SET NOT NULL": "SET NOT NULL reads all rows: use a constraint NOT VALID",
    rf"ALTER TABLE {NAME} (DROP COLUMN|RENAME)": "the version before reads the column: leave it until the next release",
    rf"DROP TABLE (IF EXISTS )?{NAME}": "the version before reads the table: leave it until the next release",
    rf"LOCK (TABLE )?{NAME}": "no migration locks a table itself",
    rf"(CLUSTER|VACUUM FULL|REINDEX (TABLE|INDEX) (?!CONCURRENTLY))\s+{NAME}": "no migration writes a table anew",
}


@pytest.fixture
def loader(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[MigrationLoader]:
    with django_db_blocker.unblock():
        yield MigrationLoader(connections["owner"], replace_migrations=False)


def find_faults(statements: list[str]) -> list[str]:
    text = [re.sub(r"\s+", " ", one) for one in statements if not one.startswith("--")]
    created = {name for one in text for name in re.findall(r'CREATE TABLE "?(\w+)', one, flags=re.IGNORECASE)}
    return [
        f"{rule}: {one}"
        for one in text
        for pattern, rule in RULES.items()
        for found in re.finditer(pattern, one, flags=re.IGNORECASE)
        if found["table"] not in created
    ]


def test_every_later_migration_keeps_the_rules(loader: MigrationLoader) -> None:
    later = list_later(loader)
    assert later
    for migration in later:
        assert find_faults(loader.collect_sql([(migration, False)])) == [], migration


def make_migration(operation: migrations.operations.base.Operation) -> Migration:
    made = type("Migration", (Migration,), {"operations": [operation], "dependencies": []})
    found: Migration = made("0099_planted", "banks")
    return found


CHECK = models.CheckConstraint(condition=models.Q(position__gte=0), name="planted")
BAD = {
    "an index": migrations.AddIndex("chunk", models.Index(fields=["position"], name="planted")),
    "a constraint": migrations.AddConstraint("chunk", CHECK),
    "a unique column": migrations.AddField("chunk", "planted", models.TextField(null=True, unique=True)),
    "a column without a default": migrations.AddField("chunk", "planted", models.TextField(default="x")),
    "a foreign key": migrations.AddField(
        "chunk", "planted", models.ForeignKey("banks.bank", models.CASCADE, null=True)
    ),
    "another type": migrations.AlterField("chunk", "position", models.BigIntegerField()),
    "no more nulls": migrations.RunSQL('ALTER TABLE "banks_chunk" ALTER COLUMN "embedding" SET NOT NULL'),
    "another name": migrations.RenameField("chunk", "position", "place"),
    "a column less": migrations.RemoveField("chunk", "position"),
    "a table less": migrations.RunSQL("DROP TABLE banks_chunk"),
    "a lock": migrations.RunSQL("LOCK TABLE banks_chunk"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_migration_is_refused_that_brings(loader: MigrationLoader, name: str) -> None:
    migration = make_migration(BAD[name])
    leaf = next(key for key in loader.graph.leaf_nodes() if key[0] == "banks")
    state = loader.project_state(leaf)
    with connections["owner"].schema_editor(collect_sql=True, atomic=True) as editor:
        migration.apply(state, editor, collect_sql=True)
    assert find_faults(editor.collected_sql + [str(one) for one in editor.deferred_sql])


@pytest.mark.parametrize(
    "statement",
    [
        'CREATE INDEX CONCURRENTLY "planted" ON "banks_chunk" ("position")',
        'ALTER TABLE "banks_chunk" ADD CONSTRAINT "planted" CHECK (position >= 0) NOT VALID',
        'ALTER TABLE "banks_chunk" VALIDATE CONSTRAINT "planted"',
        'ALTER TABLE "banks_chunk" ADD COLUMN "planted" text DEFAULT \'\' NOT NULL',
        'CREATE TABLE "planted" ("id" uuid NOT NULL PRIMARY KEY); CREATE INDEX "i" ON "planted" ("id")',
    ],
)
def test_the_right_way_passes(statement: str) -> None:
    assert find_faults(statement.split(";")) == []
