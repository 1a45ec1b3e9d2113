"""`manage.py up` in its own process, observed from outside."""

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.redis import EmbeddedRedis
from tests.clock import holds_to_a_time
from tests.embedded.up_process import PROJECT, Up, free_port, make_up, person, wait_until


@pytest.fixture
def up(place: Path) -> Iterator[Up]:
    yield from make_up(place)


@pytest.fixture(scope="module")
def service(shared_place: Path) -> Iterator[Up]:
    """A running service for read-only tests. Its banner is that of a first start."""
    for up in make_up(shared_place):
        up.start()
        yield up


def test_the_first_start_prints_a_request_that_works_as_pasted(service: Up) -> None:
    found = re.search(r'curl -H "Authorization: (Bearer \S+)" (\S+)', service.said())
    assert found is not None

    answer = httpx.get(found[2], headers={"Authorization": found[1]})

    assert answer.status_code == 200
    assert answer.url.port == service.port


def test_the_demo_bank_is_there_when_the_banner_is(service: Up) -> None:
    found = re.search(r'curl -H "Authorization: (Bearer \S+)" (\S+)', service.said())
    assert found is not None
    headers = {"Authorization": found[1]}

    assert [bank["bank_id"] for bank in httpx.get(found[2], headers=headers).json()["banks"]] == ["juno"]
    opinions = httpx.get(f"{found[2]}/juno/opinions", headers=headers).json()["items"]

    assert "A monthly subscription would drive away the people Fennel is made for." in {one["text"] for one in opinions}


def test_the_login_works_at_the_admin(service: Up) -> None:
    found = re.search(r"Login +(\S+) / (\S+) \(shown once\)", service.said())
    assert found is not None
    with httpx.Client(base_url=service.url, follow_redirects=True) as client:
        page = client.get("/admin/")
        assert page.url.path == "/accounts/login/"
        form = {
            "login": found[1],
            "password": found[2],
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
            "next": "/admin/",
        }
        page = client.post("/accounts/login/", data=form, headers={"Referer": f"{service.url}/accounts/login/"})

    assert page.status_code == 200
    assert page.url.path == "/admin/"


def test_a_command_beside_it_finds_its_database_through_the_folder(service: Up) -> None:
    argv = [sys.executable, "manage.py", "create_api_key", "demo@example.com"]
    environment = person() | {"MEMORYPLATFORM_DATA_DIR": str(service.folder)}

    made = subprocess.run(argv, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)

    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    assert httpx.get(f"{service.url}/v1/banks", headers=headers).status_code == 200


def test_documentation_and_readiness_are_where_the_banner_says(service: Up) -> None:
    assert httpx.get(f"{service.url}/docs/api/").status_code == 200
    wait_until(lambda: httpx.get(f"{service.url}/health/ready").status_code == 200)


def test_secrets_that_are_shown_once_are_in_no_file(service: Up) -> None:
    shown = re.findall(r"(\S+) \(shown once\)", service.said())
    assert len(shown) == 2
    files = [path for path in service.folder.rglob("*") if path.is_file()]

    assert files
    assert not [path for path in files for secret in shown if secret.encode() in path.read_bytes()]


def test_a_second_one_on_the_same_folder_is_refused(service: Up, place: Path) -> None:
    second = Up(service.folder, place / "output", free_port())

    assert second.refuse() == (
        f"The data folder {service.folder} is in use by process {service.process.pid}: "
        "stop that one first, or choose another with --data-dir.\n"
    )
    assert httpx.get(f"{service.url}/health").status_code == 200


def test_a_taken_port_is_refused_and_nothing_is_left(service: Up, up: Up) -> None:
    up.port = service.port

    assert up.refuse() == (
        f"Port {up.port} on 127.0.0.1 can't be used (Address already in use): choose another with --port.\n"
    )
    assert up.left_running() == []


def test_a_folder_that_cannot_be_written_is_refused(up: Up, place: Path) -> None:
    (place / "file").touch()
    up.folder = place / "file" / "data"

    assert up.refuse() == f"The data folder {up.folder} can't be written: Not a directory.\n"


def test_a_part_of_the_folder_that_cannot_be_written_is_refused_and_nothing_is_left(up: Up) -> None:
    up.folder.mkdir()
    (up.folder / "up.lock").touch()
    (up.folder / "postgres").touch()

    assert re.fullmatch(rf"The data folder {up.folder} can't be used: .*/postgres.*\n", up.refuse())
    assert up.left_running() == []


def test_an_unreachable_service_is_refused_and_nothing_is_left(up: Up) -> None:
    up.environment["REDIS_URL"] = "redis://:geheim@127.0.0.1:1/0"

    *_, sentence = up.refuse().splitlines()

    assert sentence.startswith("REDIS_URL can't be used: ")
    assert "geheim" not in up.said()
    assert up.left_running() == []


@holds_to_a_time
def test_it_answers_within_twenty_seconds_and_a_restart_keeps_the_data(up: Up) -> None:
    began = time.monotonic()
    key = re.search(r"Bearer (\S+)\"", up.start())
    assert time.monotonic() - began < 20
    assert key is not None
    headers = {"Authorization": f"Bearer {key[1]}"}
    assert httpx.post(f"{up.url}/v1/banks", json={"bank_id": "kept"}, headers=headers).status_code == 201

    assert up.interrupt() == 0
    assert up.left_running() == []
    assert "Traceback" not in up.said()
    banner = up.start()

    assert httpx.get(f"{up.url}/v1/banks/kept", headers=headers).status_code == 200
    assert "shown once" not in banner
    assert "create_api_key" in banner
    retained = {"items": [{"content": "Alice moved to Lisbon."}]}
    assert httpx.post(f"{up.url}/v1/banks/kept/memories", json=retained, headers=headers, timeout=60).status_code == 200
    assert httpx.get(f"{up.url}/health/ready").json()["parts"]["models"] == "ok"
    assert memory_of_tree(up) < 1_300_000_000


def memory_of_tree(up: Up) -> int:
    """The sum of the proportional set sizes: a page that several processes share counts once."""
    tree = psutil.Process(up.process.pid)
    return sum(process.memory_full_info().pss for process in [tree, *tree.children(recursive=True)])


def find_child(up: Up, *ending: str) -> psutil.Process | None:
    for child in psutil.Process(up.process.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):  # the process has just ended
            if child.cmdline()[-len(ending) :] == list(ending):
                return child
    return None


def find_server(up: Up, name: str) -> psutil.Process:
    return next(child for child in psutil.Process(up.process.pid).children() if child.name() == name)


def kill_and_await(process: psutil.Process, find: Callable[[], psutil.Process | None]) -> None:
    process.kill()

    def is_back() -> bool:
        with contextlib.suppress(StopIteration, psutil.NoSuchProcess):  # a child that has just ended, of any name
            again = find()
            return again is not None and again.pid != process.pid
        return False

    wait_until(is_back)


def test_every_process_that_dies_is_started_again_and_nothing_is_lost(up: Up) -> None:
    key = re.search(r"Bearer (\S+)\"", up.start())
    assert key is not None
    headers = {"Authorization": f"Bearer {key[1]}"}
    worker = find_child(up, "worker", "ingest")
    web = next(child for child in psutil.Process(up.process.pid).children() if "--no-access-log" in child.cmdline())
    assert worker is not None
    kill_and_await(worker, lambda: find_child(up, "worker", "ingest"))
    assert "worker-ingest ended with signal SIGKILL; starting it again." in up.said()
    for name in ("redis-server", "postgres"):
        kill_and_await(find_server(up, name), lambda name=name: find_server(up, name))  # type: ignore[misc]
        assert f"{name.removesuffix('-server')} ended with signal SIGKILL; starting it again." in up.said()
    web.kill()
    wait_until(lambda: "web ended with signal SIGKILL; starting it again." in up.said())

    wait_until(lambda: answers(f"{up.url}/health/ready"))
    retained = {"items": [{"content": "Alice moved to Lisbon."}], "async": True}
    accepted = httpx.post(f"{up.url}/v1/banks/kept/memories", json=retained, headers=headers, timeout=60)
    operation = f"{up.url}/v1/operations/{accepted.json()['operation_id']}"
    wait_until(lambda: httpx.get(operation, headers=headers).json()["status"] == "completed")
    assert up.interrupt() == 0
    assert up.left_running() == []


def answers(url: str) -> bool:
    with contextlib.suppress(httpx.HTTPError):
        return httpx.get(url).status_code == 200
    return False


def test_after_a_kill_the_next_start_works_and_a_postgres_that_does_not_start_is_reported(up: Up) -> None:
    up.start()
    up.process.kill()
    up.process.wait()

    up.start()
    assert httpx.get(f"{up.url}/health").status_code == 200
    assert up.interrupt() == 0

    (up.folder / "postgres" / "data" / "global" / "pg_control").unlink()
    assert "postgres does not start" in up.refuse()
    assert up.left_running() == []


def test_named_services_are_used_and_left_running_and_no_demo_leaves_the_bank_out(up: Up, place: Path) -> None:
    postgres, redis = EmbeddedPostgres(place / "postgres"), EmbeddedRedis(place / "redis")
    postgres.start()
    redis.start()
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE memories")
    up.environment |= {"DATABASE_URL": postgres.superuser_url("memories"), "REDIS_URL": redis.url}
    up.options = ["--no-demo"]
    try:
        postgres_line, redis_line, *_ = up.start().splitlines()
        assert "DATABASE_URL is set, using " in postgres_line
        assert "REDIS_URL is set, using " in redis_line
        assert not (up.folder / "postgres").exists()
        with psycopg.connect(postgres.superuser_url("memories")) as connection:
            assert connection.execute("SELECT count(*) FROM banks_bank").fetchone() == (0,)
        assert up.interrupt() == 0
        assert (postgres.exit_status(), redis.exit_status()) == (None, None)
    finally:
        redis.stop()
        postgres.stop()
