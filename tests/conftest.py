"""The services that tests run on: a real Postgres and a real Redis in a folder that is gone afterwards."""

import shutil
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.roles import Login, provision
from tenants.wall_check import check_service_role

LOGINS = {name: Login(name, name) for name in ("owner", "service", "platform")}
KEPT = {"contenttypes", "auth"}  # what the migrations put there

hypothesis_settings.register_profile("any machine", deadline=None)  # how long an example takes says how busy it is
hypothesis_settings.load_profile("any machine")


def pytest_unconfigure() -> None:
    """Not a fixture's work: mem0's client writes there as soon as it is imported, by whoever collects the tests."""
    shutil.rmtree(settings.TEST_FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    folder = settings.TEST_FOLDER / "postgres"
    server = EmbeddedPostgres(folder, settings={"fsync": "off", "synchronous_commit": "off"})
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EmbeddedRedis]:
    folder = settings.TEST_FOLDER / "redis"
    server = EmbeddedRedis(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def django_db_setup(postgres: EmbeddedPostgres, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database as production makes it: provisioned, migrated by the owner, used by the service."""
    provision(postgres.superuser_url("postgres"), database="memoryplatform", **LOGINS)
    with django_db_blocker.unblock():
        call_command("migrate", verbosity=0)
        check_service_role()  # no test may pass because its role sees everything
        yield
        for connection in connections.all():
            connection.close()
            if isinstance(connection, DatabaseWrapper) and connection.pool:
                connection.close_pool()


@pytest.fixture
def committed_db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """For tests whose rows other threads, connections or processes must see: commits are real, and undone after."""
    with django_db_blocker.unblock():
        try:
            yield
        finally:
            empty_all_tables()
            connections.close_all()


def empty_all_tables() -> None:
    tables = [model._meta.db_table for model in apps.get_models() if model._meta.app_label not in KEPT]
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")
