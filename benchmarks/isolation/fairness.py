"""`benchmark fairness`: needs no data. One tenant asks and retains, alone and beside a tenant that pushes retains.

The service runs as processes: a web server, a worker of the queue `ingest` and one of `background`. `--limit` gives the
seconds of each of the two phases.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from typing import Any

import orjson
from django.conf import settings

from benchmarks.isolation.canary import ask
from benchmarks.latency.web import NotServed
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal, describe_goals
from benchmarks.tenant import make_access, make_bank
from tenants.keys import make_key
from tenants.transactions import tenant_transaction

SECONDS = 60
PUSHED_PER_SECOND = 50
RECALLS_PER_SECOND = 5
SECONDS_BETWEEN_RETAINS = 2.0
FACTS = 300  # in the bank of the tenant that asks
PUSHERS = 4
START_SECONDS = 120
WARM_UP_SECONDS = 5.0
BANK = "/v1/banks/support"
UNLIMITED = {"RATE_LIMIT_PER_KEY": "1000000", "RATE_LIMIT_PER_TENANT": "1000000", "LOG_LEVEL": "WARNING"}
FINISHED = {"completed", "failed", "cancelled"}


@dataclass
class Phase:
    """Milliseconds of each recall, and from the acceptance of each retain to its end."""

    recalls: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    pushed: int = 0
    refused: int = 0


def run(options: Options) -> dict[str, Any]:
    seconds = options.limit or SECONDS
    quiet, busy = make_tenant_key(), make_tenant_key()
    with running_service() as port:
        fill_bank(port, quiet)
        measure(port, quiet, WARM_UP_SECONDS)
        alone = measure(port, quiet, seconds)
        with pushing(port, busy) as pushed:
            time.sleep(WARM_UP_SECONDS)
            beside = measure(port, quiet, seconds)
    beside.pushed, beside.refused = pushed.pushed, pushed.refused
    figures = {
        "recall_ms": {"alone": describe(alone.recalls), "beside": describe(beside.recalls)},
        "retain_wait_ms": {"alone": describe(alone.waits), "beside": describe(beside.waits)},
    }
    goals = [
        Goal("recall p95, beside / alone", divide(figures["recall_ms"], "p95"), at_most=1.5),
        Goal("wait of a retain p50, beside / alone", divide(figures["retain_wait_ms"], "p50"), at_most=2.0),
    ]
    done = {"recalls": len(beside.recalls), "retains": len(beside.waits)}
    pushes = {"pushed_per_second": round(beside.pushed / (seconds + WARM_UP_SECONDS), 1), "refused": beside.refused}
    return {"goals": describe_goals(goals), **figures, "seconds": seconds, **done, **pushes}


def divide(figures: dict[str, dict[str, float]], name: str) -> float:
    return round(figures["beside"][name] / figures["alone"][name], 2)


def make_tenant_key() -> str:
    access = make_access()
    make_bank(access, "support")
    with tenant_transaction(access.tenant_id):
        return make_key(access.tenant_id, name="benchmark", scopes=["read", "write"])[1]


@contextmanager
def running_service() -> Iterator[int]:
    """Yields the port of the web server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    web = ["-m", "uvicorn", "memoryplatform.asgi:application", "--port", str(port), "--ws", "none", "--no-access-log"]
    web += ["--http", "memoryplatform.server.http_protocol:Http", "--log-level", "warning"]
    commands = [web, *(["manage.py", "worker", group] for group in ("ingest", "background"))]
    started = [
        subprocess.Popen(  # noqa: S603  # our own programs
            [sys.executable, *arguments], cwd=settings.BASE_DIR, env=os.environ | UNLIMITED
        )
        for arguments in commands
    ]
    try:
        await_answer(port)
        yield port
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(60)


def await_answer(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    last = ""
    while time.monotonic() < deadline:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            status, answer = ask(connection, "", "GET", "/health/ready", None)
            if status == 200:  # noqa: PLR2004  # OK
                return
            last = f"{status}: {answer[:200]!r}"
        except (OSError, HTTPException) as error:
            last = repr(error)
        finally:
            connection.close()
        time.sleep(0.2)
    raise NotServed(f"The web server did not become ready: {last}")


def fill_bank(port: int, key: str) -> None:
    facts = [
        {"text": f"Ana keeps parcel {number} in room {number % 17}.", "entities": ["Ana"]} for number in range(FACTS)
    ]
    for begin in range(0, FACTS, 100):
        post(
            HTTPConnection("127.0.0.1", port, timeout=120),
            key,
            "/memories",
            {"items": [{"facts": facts[begin:][:100]}]},
        )


def post(connection: HTTPConnection, key: str, path: str, body: Any) -> Any:
    status, answer = ask(connection, key, "POST", f"{BANK}{path}", body)
    if status not in {200, 202}:
        raise NotServed(f"{path} answered {status}: {answer[:200]!r}")
    return orjson.loads(answer)


def measure(port: int, key: str, seconds: float) -> Phase:
    """Recalls and retains at a steady pace, whatever the time of each answer."""
    phase, end = Phase(), time.monotonic() + seconds
    retaining = threading.Thread(target=retain_often, args=(port, key, phase, end))
    retaining.start()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    for number in count():
        began = time.monotonic()
        if began >= end:
            break
        post(connection, key, "/memories/recall", {"query": f"Where is parcel {number % FACTS}?"})
        phase.recalls.append((time.monotonic() - began) * 1000)
        time.sleep(max(0.0, began + 1 / RECALLS_PER_SECOND - time.monotonic()))
    connection.close()
    retaining.join()
    return phase


def retain_often(port: int, key: str, phase: Phase, end: float) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    while (began := time.monotonic()) < end:
        accepted = post(connection, key, "/memories", write_retain(f"Ben moved crate {began} to the cellar."))
        path = f"/v1/operations/{accepted['operation_id']}"
        while orjson.loads(ask(connection, key, "GET", path, None)[1])["status"] not in FINISHED:
            time.sleep(0.02)
        phase.waits.append((time.monotonic() - began) * 1000)
        time.sleep(max(0.0, began + SECONDS_BETWEEN_RETAINS - time.monotonic()))
    connection.close()


def write_retain(text: str) -> dict[str, Any]:
    return {"items": [{"messages": [{"role": "user", "content": text}]}], "async": True}


@contextmanager
def pushing(port: int, key: str) -> Iterator[Phase]:
    """Retains of another tenant, `PUSHED_PER_SECOND` if the service takes them. A refused one is not repeated."""
    phase, stop, lock = Phase(), threading.Event(), threading.Lock()

    def push() -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        while not stop.is_set():
            began = time.monotonic()
            body = write_retain(f"Carla stored barrel {began} of {threading.get_ident()}.")
            status, _ = ask(connection, key, "POST", f"{BANK}/memories", body)
            with lock:
                phase.pushed += status in {200, 202}
                phase.refused += status not in {200, 202}
            time.sleep(max(0.0, began + PUSHERS / PUSHED_PER_SECOND - time.monotonic()))
        connection.close()

    threads = [threading.Thread(target=push) for _ in range(PUSHERS)]
    for thread in threads:
        thread.start()
    try:
        yield phase
    finally:
        stop.set()
        for thread in threads:
            thread.join()
