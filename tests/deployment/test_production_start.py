"""The steps of compose.yaml in order, without containers."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from memoryplatform.embedded.postgres import EmbeddedPostgres
from memoryplatform.embedded.redis import EmbeddedRedis

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(
    postgres: EmbeddedPostgres, redis_server: EmbeddedRedis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    yield {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "memoryplatform.settings.production",
        "SECRET_KEY": "kB3v-9fQz_7LxTn2Ww8RrYt5Hh1Jj6Mm4Pp0SsDdGgVvBbNnCcFf",
        "API_KEY_SECRET": "x" * 40,
        "ALLOWED_HOSTS": "memory.example.com,127.0.0.1",
        "DATABASE_SETUP_URL": postgres.superuser_url("postgres"),
        "DATABASE_URL": postgres.url("mp_service", "s", "production"),
        "DATABASE_OWNER_URL": postgres.url("mp_owner", "o", "production"),
        "DATABASE_PLATFORM_URL": postgres.url("mp_platform", "p", "production"),
        "REDIS_URL": redis_server.url.replace("db=0", "db=1"),
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path_factory.mktemp("metrics")),
    }
    with psycopg.connect(postgres.superuser_url("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS production WITH (FORCE)")


@pytest.fixture(scope="module")
def prepared(environment: dict[str, str]) -> dict[str, str]:
    for command in ("provision_database", "migrate --no-input", "collectstatic --no-input --verbosity 0"):
        arguments = [sys.executable, "manage.py", *command.split()]
        subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True)
    return environment


def keep_roles(environment: dict[str, str], *variables: str) -> dict[str, str]:
    """The service's role and those that compose.yaml gives the container."""
    others = {"DATABASE_OWNER_URL", "DATABASE_PLATFORM_URL", "DATABASE_SETUP_URL"} - {*variables}
    return {name: value for name, value in environment.items() if name not in others}


@pytest.fixture(scope="module")
def web(prepared: dict[str, str]) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "memoryplatform.asgi:application",
        "--port",
        str(port),
        "--no-access-log",
        "--http",
        "memoryplatform.server.http_protocol:Http",
        "--ws",
        "none",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env=keep_roles(prepared, "DATABASE_PLATFORM_URL"))
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/health/ready", process)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) in {0, -signal.SIGTERM}  # uvicorn ends by the signal that it received


def wait_for(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):  # the server does not listen yet
            if httpx.get(url).status_code == 200:
                return
        time.sleep(0.2)
    pytest.fail(f"{url} did not answer")


def test_the_service_becomes_ready(web: str) -> None:
    assert httpx.get(f"{web}/health/ready").json()["status"] == "ok"


def test_plain_http_is_sent_to_https_and_the_proxys_word_is_taken(web: str) -> None:
    assert httpx.get(f"{web}/v1/banks").status_code == 301
    behind_proxy = httpx.get(f"{web}/v1/banks", headers={"X-Forwarded-Proto": "https"})
    assert behind_proxy.status_code == 401
    assert "max-age" in behind_proxy.headers["Strict-Transport-Security"]


def test_static_files_are_hashed_and_kept_by_browsers(web: str) -> None:
    page = httpx.get(f"{web}/docs/api/", headers={"X-Forwarded-Proto": "https"}, timeout=60).text
    script = next(part for part in page.split('"') if "pages/api" in part)
    served = httpx.get(f"{web}{script}", headers={"X-Forwarded-Proto": "https"}, timeout=60)
    assert served.status_code == 200
    assert "immutable" in served.headers["Cache-Control"]


def test_a_host_that_is_not_ours_is_refused_but_to_probes(web: str) -> None:
    headers = {"Host": "evil.example.com", "X-Forwarded-Proto": "https"}
    assert httpx.get(f"{web}/v1/banks", headers=headers).status_code == 400
    assert httpx.get(f"{web}/health", headers=headers).status_code == 200


def test_a_service_that_runs_as_superuser_does_not_start(prepared: dict[str, str], postgres: EmbeddedPostgres) -> None:
    environment = prepared | {"DATABASE_URL": postgres.superuser_url("production")}
    commands = (["-m", "uvicorn", "memoryplatform.asgi:application", "--port", "0"], ["manage.py", "worker", "ingest"])
    for command in commands:
        outcome = subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert outcome.returncode != 0
        assert "the role is a superuser" in outcome.stderr


def test_a_worker_stops_when_asked(prepared: dict[str, str]) -> None:
    command = [sys.executable, "manage.py", "worker", "ingest"]
    process = subprocess.Popen(command, cwd=ROOT, env=keep_roles(prepared), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert any("worker.started" in line for line in process.stderr)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 0
