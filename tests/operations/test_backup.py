"""Backup and restore as an operator runs them: online, into another database, refused where something is wrong."""

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from banks.models import Bank
from memoryplatform import encrypted_file
from memoryplatform.backup.back_up import back_up
from memoryplatform.backup.backup_file import DUMP, MANIFEST, BackupError, read_manifest
from memoryplatform.backup.postgres_tools import find_tools
from memoryplatform.backup.restore import restore
from memoryplatform.embedded.postgres import EmbeddedPostgres
from tenants.models import Tenant
from tenants.roles import provision
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.conftest import LOGINS
from tests.factories import make_key_with_text
from tests.memory_factories import make_document
from tests.operations.conftest import ROOT

FACTS = ["Ana Reis lives in Porto.", "Ana Reis works at Acme.", "Ben Lind bought a red boat.", "Rex is Ana's dog."]
RECALL = """
import json, sys, django
django.setup()
from django.test import Client
key, query = sys.argv[1:]
answer = Client(headers={"Authorization": f"Bearer {key}"}).post(
    "/v1/banks/calm/memories/recall", json.dumps({"query": query, "rerank": False}), content_type="application/json")
print(answer.content.decode())
"""
PASSPHRASE = "seven herons at the lake"
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def other(postgres: EmbeddedPostgres) -> Iterator[str]:
    """The superuser's URL of another database, which is provisioned and empty. As in compose, a superuser made it."""
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as superuser:
        superuser.execute("CREATE DATABASE restored")
    provision(postgres.superuser_url("postgres"), database="restored", **LOGINS)
    yield postgres.superuser_url("restored")
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as superuser:
        superuser.execute("DROP DATABASE restored WITH (FORCE)")


@pytest.fixture
def python(other: str, postgres: EmbeddedPostgres) -> Command:
    """Runs Python on the settings of the other database."""
    names = {"DATABASE_URL": "service", "DATABASE_OWNER_URL": "owner", "DATABASE_PLATFORM_URL": "platform"}
    urls = {variable: postgres.url(name, name, "restored") for variable, name in names.items()}
    environment = (
        os.environ | urls | {"DJANGO_SETTINGS_MODULE": "memoryplatform.settings.base", "PYTHONPATH": str(ROOT)}
    )

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def retain(call: Caller, bank_id: str, text: str) -> None:
    message = {"role": "user", "content": text}
    answer = call("POST", f"/v1/banks/{bank_id}/memories", {"items": [{"messages": [message]}]})
    assert answer.status_code == 200, answer.content


def read_results(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["id"], one["text"]) for one in answer["results"]]


def rewrite(path: Path, **fields: Any) -> Path:
    """The same backup with another manifest."""
    changed = path.with_name("changed.backup")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        new.writestr(DUMP, old.read(DUMP))
        new.writestr(MANIFEST, json.dumps(json.loads(old.read(MANIFEST)) | fields))
    return changed


def test_an_encrypted_backup_of_a_busy_service_restores_sound_with_equal_recall(
    tenant: Tenant, call: Caller, python: Command, other: str, tmp_path: Path
) -> None:
    secret = tmp_path / "passphrase"
    secret.write_text(f"{PASSPHRASE}\n")
    for text in FACTS:
        retain(call, "calm", text)
    with tenant_transaction(tenant.id):
        calm = Bank.objects.for_tenant(tenant.id).get(bank_id="calm")
    make_document(
        tenant, bank=calm, text=token_hex(1_000_000)
    )  # pg_restore does not read it for the sections without data
    stop, stored = threading.Event(), threading.Semaphore(0)

    def write() -> None:
        try:
            for number in range(10_000):
                if stop.is_set():
                    return
                retain(Caller(call.key), "busy", f"Note {number}: Carla saw {number} herons at the lake.")
                stored.release()
        finally:
            connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert stored.acquire(timeout=60)
        call_command("backup", tmp_path, passphrase_file=secret)
        assert stored.acquire(timeout=60)
    finally:
        stop.set()
        writer.join()
    [path] = tmp_path.glob("*.backup")
    assert path.stat().st_mode & 0o777 == 0o600
    content = path.read_bytes()
    assert all(word not in content for word in (DUMP.encode(), MANIFEST.encode(), b"PGDMP"))
    manifest = read_manifest(path, PASSPHRASE)
    assert manifest.rows["tenants_tenant"] == 1

    restored = python("manage.py", "restore", path, "--passphrase-file", secret)

    assert restored.returncode == 0, restored.stderr
    assert f"Restored {sum(manifest.rows.values())} rows" in restored.stdout
    assert restored.stderr == ""
    check_walls_and_notes(other)
    query = "Where does Ana live?"
    here = call("POST", "/v1/banks/calm/memories/recall", {"query": query, "rerank": False}).json()
    there = python("-c", RECALL, call.key, query)
    assert there.returncode == 0, there.stderr
    assert read_results(json.loads(there.stdout)) == read_results(here) != []
    verified = python("manage.py", "verify", "--json")
    assert verified.returncode == 0, verified.stdout
    assert (json.loads(verified.stdout)["banks"], json.loads(verified.stdout)["sound"]) == (2, True)


def check_walls_and_notes(other: str) -> None:
    """The restored database has the policies and owners of this one, and notes that were written meanwhile."""
    with psycopg.connect(other) as superuser:
        walled = superuser.execute(
            "SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity"
        ).fetchone()
        policies = superuser.execute("SELECT count(*) FROM pg_policy").fetchone()
        [notes] = superuser.execute("SELECT count(*) FROM banks_message WHERE content LIKE 'Note %'").fetchall()
        owners = superuser.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'").fetchall()
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")
        assert cursor.fetchone() == walled
        cursor.execute("SELECT count(*) FROM pg_policy")
        assert cursor.fetchone() == policies
    assert notes[0] >= 1
    assert owners == [("owner",)]


def test_a_failed_replacement_changes_nothing(tenant: Tenant, python: Command, other: str, tmp_path: Path) -> None:
    path, manifest = back_up(tmp_path / "whole.backup")
    assert python("manage.py", "restore", path).returncode == 0
    with psycopg.connect(other) as superuser:
        superuser.execute("UPDATE tenants_tenant SET name = 'Changed'")
    wrong = rewrite(path, rows=manifest.rows | {"tenants_tenant": 7})
    failed = python("manage.py", "restore", wrong, "--replace")
    assert "the table tenants_tenant has not the 7 rows of the manifest" in failed.stderr
    with psycopg.connect(other) as superuser:
        assert superuser.execute("SELECT name FROM tenants_tenant").fetchall() == [("Changed",)]


def test_a_backup_of_older_migrations_is_migrated(tenant: Tenant, python: Command, other: str, tmp_path: Path) -> None:
    new, old = tmp_path / "new.backup", tmp_path / "old.backup"
    back_up(new)
    for arguments in (["restore", new], ["migrate", "sessions", "zero"], ["backup", old]):
        done = python("manage.py", *arguments)
        assert done.returncode == 0, done.stderr
    assert "sessions" not in read_manifest(old).migrations
    replaced = python("manage.py", "restore", old, "--replace")
    assert replaced.returncode == 0, replaced.stderr
    with psycopg.connect(other) as superuser:
        assert superuser.execute("SELECT expire_date FROM django_session").fetchall() == []
        assert superuser.execute("SELECT count(*) FROM tenants_tenant").fetchone() == (1,)


def test_a_damaged_or_foreign_file_is_refused(tenant: Tenant, tmp_path: Path) -> None:
    path, _ = back_up(tmp_path / "whole.backup")
    whole = path.read_bytes()
    cases = {
        "tampered": whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 1]) + whole[len(whole) // 2 + 1 :],
        "cut": whole[: len(whole) * 2 // 3],
        "without its end": whole[:-1],
        "empty": b"",
        "something else": b"PGDMP" * 100,
    }
    for name, content in cases.items():
        broken = tmp_path / f"{name}.backup"
        broken.write_bytes(content)
        with pytest.raises(CommandError, match="damaged"):
            call_command("restore", broken)
    with pytest.raises(BackupError, match="checksum"):
        restore(rewrite(path, sha256="0" * 64))
    with pytest.raises(BackupError, match=r"newer version .* tenants.9999_later"):
        restore(rewrite(path, migrations={"tenants": ["0001_initial", "9999_later"]}))
    with pytest.raises(BackupError, match=r"earlier version\. It lacks banks\.0003_text_index_and_history, "):
        restore(rewrite(path, migrations={"banks": ["0001_initial", "0002_memory"]}))
    with pytest.raises(BackupError, match="belongs to the role somebody"):
        restore(rewrite(path, owner="somebody"), replace=True)
    with pytest.raises(BackupError, match="not empty"):
        restore(path)
    with pytest.raises(BackupError, match="can't be read"):
        restore(tmp_path / "missing.backup")


def test_an_encrypted_backup_needs_its_passphrase(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encrypted_file, "WORK", 10)
    path, made = back_up(tmp_path / "sealed.backup", PASSPHRASE)
    assert read_manifest(path, PASSPHRASE) == made
    with pytest.raises(BackupError, match=r"is encrypted: give its passphrase"):
        restore(path)
    with pytest.raises(BackupError, match="passphrase does not open"):
        restore(path, "eight herons at the lake")
    whole = path.read_bytes()
    for changed in (whole[:-1], whole[: len(whole) // 2], whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:]):
        path.write_bytes(changed)
        with pytest.raises(BackupError, match="damaged or cut off"):
            restore(path, PASSPHRASE)


def test_a_passphrase_that_is_short_or_missing_stops_the_backup(tenant: Tenant, tmp_path: Path) -> None:
    (tmp_path / "short").write_text("heron\n")
    for name, fault in {"short": "at least 12 characters", "missing": "can't be read"}.items():
        with pytest.raises(CommandError, match=fault):
            call_command("backup", tmp_path / "one.backup", passphrase_file=tmp_path / name)
    assert not (tmp_path / "one.backup").exists()


def test_a_table_whose_rows_the_platform_does_not_see_stops_the_backup(
    tenant: Tenant, postgres: EmbeddedPostgres, tmp_path: Path
) -> None:
    door = "CREATE POLICY platform_door ON tenants_webhook TO memoryplatform_platform USING (true) WITH CHECK (true)"
    with psycopg.connect(postgres.superuser_url("memoryplatform"), autocommit=True) as superuser:
        superuser.execute("DROP POLICY platform_door ON tenants_webhook")
        try:
            with pytest.raises(BackupError, match="can't see every row of tenants_webhook"):
                back_up(tmp_path / "half.backup")
        finally:
            superuser.execute(door)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_backup_leaves_no_file_and_none_is_overwritten(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections["platform"].ensure_connection()
    monkeypatch.setitem(settings.DATABASES["platform"], "PASSWORD", "wrong")
    with pytest.raises(BackupError, match=r"pg_dump failed: .*authentication"):
        back_up(tmp_path / "one.backup")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "one.backup").touch()
    with pytest.raises(BackupError, match="exists already"):
        back_up(tmp_path / "one.backup")


def test_programs_of_an_older_version_are_not_used() -> None:
    with pytest.raises(BackupError, match="pg_dump of PostgreSQL 999 or newer is needed"):
        find_tools(999)
