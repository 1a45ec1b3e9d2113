"""A database of its own for tests that migrate."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from pytest_django.plugin import DjangoDbBlocker

from memoryplatform.embedded.postgres import EmbeddedPostgres
from tenants.roles import grant_rights_on_new_tables, provision
from tests.conftest import LOGINS
from tests.database.watched_migrations import INITIAL, OURS, apply, list_plan

DATABASE = "watched"


@pytest.fixture
def url(postgres: EmbeddedPostgres, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The superuser's URL of a database with the initial migrations. The owner's connection leads to it."""
    provision(postgres.superuser_url("postgres"), database=DATABASE, **LOGINS)
    owner = connections["owner"]
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        owner.close()
        patch.setitem(owner.settings_dict, "NAME", DATABASE)
        grant_rights_on_new_tables(owner)
        apply([key for key in list_plan(MigrationLoader(owner)) if key in INITIAL or key[0] not in OURS])
        yield postgres.superuser_url(DATABASE)
        owner.close()
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as superuser:
        superuser.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
