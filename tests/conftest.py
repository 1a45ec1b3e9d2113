"""The services of the tests: a real Postgres and a real Redis in a temporary folder."""

import fcntl
import functools
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
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
from tenants.plans import forget_limits
from tenants.roles import Login, check_service_role, provision

LOGINS = {name: Login(name, name) for name in ("owner", "service", "platform")}
KEPT = {"contenttypes", "auth"}  # rows that the migrations create
PLANS = "tenants_plan"  # of which the migrations create the default one

# Every new HTTP client reads the trusted certificates: up to 100 ms for a list of all authorities. The tests speak
# plain HTTP on loopback, so that one certificate, whose key nobody has, is enough.
os.environ["SSL_CERT_FILE"] = str(Path(__file__).with_name("one_certificate.pem"))

hypothesis_settings.register_profile("any machine", deadline=None)  # an example's time depends on the machine's load
hypothesis_settings.load_profile("any machine")


gc.disable()  # imports and collected tests stay, and collections that walk them take a fifth of the start


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The first process of pytest-xdist compiles the tests with their assertions. The others read what it wrote."""
    if "PYTEST_XDIST_WORKER" in os.environ and not sys.dont_write_bytecode:
        shared = get_shared_folder()
        with one_process_at_a_time(shared):
            if not (compiled := shared / "compiled").exists():
                collected = yield
                compiled.touch()
                return enable_garbage_collection(collected)
    return enable_garbage_collection((yield))


def enable_garbage_collection(collected: object) -> object:
    gc.collect()
    gc.freeze()
    gc.enable()
    return collected


def pytest_unconfigure() -> None:
    """A hook instead of a fixture, because mem0's client writes there at import, when tests are collected."""
    shutil.rmtree(settings.TEST_FOLDER, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(django_db_blocker: DjangoDbBlocker) -> Iterator[EmbeddedPostgres]:
    """A server with the database as in production: provisioned, and migrated by the owner.

    The first process of pytest-xdist migrates, which takes seconds. The others copy its folder.
    """
    folder = settings.TEST_FOLDER / "postgres"
    server = EmbeddedPostgres(folder, settings={"fsync": "off", "synchronous_commit": "off"})
    with django_db_blocker.unblock():
        if "PYTEST_XDIST_WORKER" in os.environ:
            get_migrated_folder(server, folder)
        else:
            start_migrated(server)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def get_migrated_folder(server: EmbeddedPostgres, folder: Path) -> None:
    shared = get_shared_folder() / "migrated"
    with one_process_at_a_time(shared.parent):
        if not shared.exists():
            start_migrated(server)
            close_connections()
            server.stop()
            copy_folder(folder, shared)
    if not folder.exists():
        copy_folder(shared, folder)
    server.start()


def get_shared_folder() -> Path:
    """The folder of the process that started this one, which removes it at the end."""
    return settings.TEST_FOLDER.with_name(f"mp-test-{os.getppid()}")


def start_migrated(server: EmbeddedPostgres) -> None:
    server.start()
    provision(server.superuser_url("postgres"), database="memoryplatform", **LOGINS)
    call_command("migrate", verbosity=0)


def copy_folder(source: Path, target: Path) -> None:
    """A copy whose files keep their owner. It has its name when it is complete."""
    partial = target.with_name(f"{target.name}.partial")
    partial.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(source), str(partial)], check=True)
    partial.rename(target)


@contextmanager
def one_process_at_a_time(folder: Path) -> Iterator[None]:
    folder.mkdir(mode=0o711, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def close_connections() -> None:
    for connection in connections.all():
        connection.close()
        if isinstance(connection, DatabaseWrapper) and connection.pool:
            connection.close_pool()


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
    """The database is used by the service's role."""
    with django_db_blocker.unblock(), connect_superuser(postgres):
        check_service_role()  # a privileged role would hide missing row-level security
        yield
        close_connections()


@pytest.fixture
def committed_db(
    django_db_setup: None, postgres: EmbeddedPostgres, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """For tests whose rows other connections or processes must see. Commits are real; rows are deleted afterwards."""
    with django_db_blocker.unblock():
        try:
            yield
        finally:
            empty_all_tables(postgres)
            connections.close_all()


@pytest.fixture(scope="module")
def shared_db(django_db_setup: None, postgres: EmbeddedPostgres, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Commits are real, and the tests of a module share the rows, which are deleted at its end.

    Each test has its own tenant, or changes nothing, or changes it in a transaction of its own (`db`).
    """
    with django_db_blocker.unblock():
        try:
            yield
        finally:
            empty_all_tables(postgres)
            connections.close_all()


@functools.cache
def connect_superuser(postgres: EmbeddedPostgres) -> psycopg.Connection:
    """Kept for the session: each new connection takes 20 ms to read the catalogue of all tables."""
    return psycopg.connect(postgres.superuser_url("memoryplatform"), autocommit=True)


def empty_all_tables(postgres: EmbeddedPostgres) -> None:
    """Deletes in the few tables that have rows: a TRUNCATE of all tables takes ten times as long.

    As a superuser without foreign keys and triggers, so that the order does not matter.
    """
    models = apps.get_models(include_auto_created=True)
    tables = [model._meta.db_table for model in models if model._meta.app_label not in KEPT]
    which = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in tables)
    superuser = connect_superuser(postgres)
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        for (table,) in superuser.execute(which).fetchall():
            superuser.execute(f"DELETE FROM {table} {'WHERE NOT is_default' if table == PLANS else ''}")
    forget_limits()
