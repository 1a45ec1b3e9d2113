"""`benchmark load`: many clients against the web server and the workers, as processes of their own.

The clients run in this process. On the same machine they take processor time from the service.
"""

import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import psutil
from django.conf import settings

from benchmarks.latency.bank import build_questions
from benchmarks.latency.web import NotServed
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal, describe_goals
from benchmarks.scale.filling import Filler, update_planner_statistics
from benchmarks.scale.material import embed_material, load_texts
from benchmarks.tenant import maintain_index, make_access, make_bank
from memoryplatform.embedded.address import Address
from memoryplatform.embedded.up import PROJECT, Programs
from tenants.keys import make_key
from tenants.transactions import tenant_transaction

SLICE_SECONDS = 60.0
SAMPLE_SECONDS = 5.0
START_SECONDS = 120.0
REQUEST_SECONDS = 60.0
SOURCES = 1_000
QUESTIONS = 2_000
SEED = 7
SERVERS = ("postgres", "redis-server")
MOST_SLOWER, MOST_GROWTH = 1.2, 0.03


@dataclass(frozen=True)
class Answer:
    """`at`: seconds since the start. `status` is 0 if no answer came."""

    at: float
    kind: str
    status: int
    milliseconds: float


@dataclass(eq=False)
class Load:
    """The requests of all clients. Each client sends its next request as soon as the last is answered."""

    url: str
    key: str
    questions: Sequence[str]
    facts: Sequence[str]
    retains: float
    answers: list[Answer] = field(default_factory=list)

    def run(self, clients: int, seconds: float) -> None:
        began = time.monotonic()
        threads = [threading.Thread(target=self._ask, args=(place, began, seconds)) for place in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _ask(self, place: int, began: float, seconds: float) -> None:
        chance = random.Random(SEED + place)  # noqa: S311  # a sample, not a secret
        headers = {"Authorization": f"Bearer {self.key}"}
        number = 0
        with httpx2.Client(base_url=self.url, headers=headers, timeout=REQUEST_SECONDS) as client:
            while (at := time.monotonic() - began) < seconds:
                number += 1
                kind = "retain" if chance.random() < self.retains else "recall"
                body = self._write(kind, chance, f"{place}-{number}")
                started = time.perf_counter()
                status = 0
                with suppress(httpx2.HTTPError):
                    status = client.post(PATHS[kind], json=body).status_code
                self.answers.append(Answer(at, kind, status, (time.perf_counter() - started) * 1000))

    def _write(self, kind: str, chance: random.Random, name: str) -> dict[str, Any]:
        if kind == "recall":
            return {"query": chance.choice(self.questions), "budget": "low"}
        text = f"{chance.choice(self.facts)} ({name})"
        return {"items": [{"content": text}], "async": True}


PATHS = {"recall": "/v1/banks/load/memories/recall", "retain": "/v1/banks/load/memories"}


@dataclass(eq=False)
class MemorySampler:
    """The memory of web, workers, Postgres and Redis, in megabytes. Shared pages count once, in equal parts."""

    samples: list[tuple[float, dict[str, float]]] = field(default_factory=list)

    @contextmanager
    def sampling(self) -> Iterator[None]:
        done, began = threading.Event(), time.monotonic()

        def work() -> None:
            while not done.is_set():
                self.samples.append((time.monotonic() - began, measure_memory()))
                done.wait(SAMPLE_SECONDS)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def describe(self, skip: float) -> dict[str, Any]:
        """First and last figures, without the start, in which models are loaded and pools fill."""
        kept = [one for at, one in self.samples if at >= skip] or [one for _, one in self.samples]
        third = max(1, len(kept) // 4)
        first, last = mean_of(kept[:third]), mean_of(kept[-third:])
        return {
            "megabytes": [{"process": name, "first": first.get(name), "last": last.get(name)} for name in sorted(last)],
            "growth": sum(last.values()) / sum(first.values()) - 1,
        }


def mean_of(samples: Sequence[dict[str, float]]) -> dict[str, float]:
    names = {name for one in samples for name in one}
    return {name: sum(one.get(name, 0.0) for one in samples) / len(samples) for name in names}


def measure_memory() -> dict[str, float]:
    used: dict[str, float] = {}
    own = psutil.Process()
    parent = own.parent()
    servers = parent.children(recursive=True) if parent else []
    for process in [*own.children(recursive=True), *[one for one in servers if one.name() in SERVERS]]:
        with suppress(psutil.Error):
            memory = process.memory_full_info()
            name = name_process(process)
            used[name] = used.get(name, 0.0) + getattr(memory, "pss", memory.rss) / 2**20
    return used


def name_process(process: psutil.Process) -> str:
    line = process.cmdline()
    if "worker" in line:
        return f"worker-{line[line.index('worker') + 1]}"
    return process.name() if process.name() in SERVERS else "web"


@contextmanager
def serve() -> Iterator[str]:
    """Web and workers as processes, on the configured services. Yields the address."""
    address = Address("127.0.0.1", find_free_port())
    environment = {**os.environ, "RATE_LIMIT_PER_KEY": "0", "RATE_LIMIT_PER_TENANT": "0", "LOG_LEVEL": "ERROR"}
    with TemporaryDirectory() as leases:
        programs = Programs(environment, Path(leases))
        commands = [programs.web(address), *[programs.worker(group) for group in settings.QUEUE_GROUPS]]
        children = [
            subprocess.Popen(one.argv, cwd=PROJECT, env=dict(one.environment), stdout=sys.stderr)  # noqa: S603
            for one in commands
        ]
        try:
            wait_until_healthy(address, children)
            yield address.url
        finally:
            for child in children:
                child.terminate()
            for child in children:
                child.wait(30)


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(address: Address, children: Sequence["subprocess.Popen[bytes]"]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not address.is_healthy():
        if time.monotonic() > deadline or any(child.poll() is not None for child in children):
            raise NotServed("The web server or a worker did not start.")
        time.sleep(0.1)


def run(options: Options) -> dict[str, Any]:
    chosen = options.load
    access = make_access()
    material = embed_material(load_texts(options, min(SOURCES, chosen.memories)), options)
    bank = make_bank(access, "load")
    Filler(bank, material.make()).fill(chosen.memories, options)
    update_planner_statistics()
    maintain_index(access, bank)
    with tenant_transaction(access.tenant_id):
        key = make_key(access.tenant_id, name="benchmark", scopes=["read", "write"])[1]
    memory = MemorySampler()
    with serve() as url:
        load = Load(url, key, build_questions(material.texts, QUESTIONS), material.texts, chosen.retains)
        options.progress.say(f"{chosen.clients} clients for {chosen.minutes:g} minutes")
        began = time.monotonic()
        with memory.sampling():
            load.run(chosen.clients, chosen.minutes * 60)
        seconds = time.monotonic() - began
    return build_report(load.answers, memory, seconds, chosen.clients)


def build_report(answers: Sequence[Answer], memory: MemorySampler, seconds: float, clients: int) -> dict[str, Any]:
    errors = Counter(str(one.status) for one in answers if not 200 <= one.status < 300)  # noqa: PLR2004  # successes
    slices = describe_slices(answers)
    used = memory.describe(skip=min(SLICE_SECONDS, seconds / 4))
    whole = [one for one in slices if one["recall p95 ms"] is not None]
    slower = whole[-1]["recall p95 ms"] / whole[1]["recall p95 ms"] if len(whole) > 2 else None  # noqa: PLR2004
    goals = [
        Goal("errors", sum(errors.values()), at_most=0),
        Goal("recall p95 of the last minute to that of the second", slower, at_most=MOST_SLOWER),
        Goal("growth of memory after the first minute", used["growth"], at_most=MOST_GROWTH),
    ]
    return {
        "goals": describe_goals(goals),
        "clients": clients,
        "seconds": seconds,
        "requests": len(answers),
        "requests_a_second": len(answers) / seconds,
        "requests_a_second_and_core": len(answers) / seconds / (os.cpu_count() or 1),
        "errors": dict(errors),
        "minutes": slices,
        "memory": used,
    }


def describe_slices(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    last = max((one.at for one in answers), default=0.0)
    rows = []
    for number in range(int(last // SLICE_SECONDS) + 1):
        within = [one for one in answers if int(one.at // SLICE_SECONDS) == number]
        rows.append({"minute": number + 1, "requests": len(within), **describe_kinds(within)})
    return rows


def describe_kinds(answers: Sequence[Answer]) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    for kind in PATHS:
        times = [one.milliseconds for one in answers if one.kind == kind]
        described = describe(times) if times else {"p50": None, "p95": None}
        figures |= {f"{kind} {name} ms": value for name, value in described.items()}
    return figures
