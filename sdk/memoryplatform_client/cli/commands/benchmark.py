"""`benchmark`: the latency of recalls, measured by the client."""

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from memoryplatform_client.cli.command import Command, Given, at_least
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import MemoryClient
from memoryplatform_client.errors import MemoryPlatformError
from memoryplatform_client.options.words import Budget

WORDS = 8  # of a memory, used as a query where no questions are given
WARMING_UP = 3


@dataclass(frozen=True)
class Timing:
    """Milliseconds of the recalls that succeeded; None if none did."""

    recalls: int
    errors: int
    clients: int
    p50: float | None
    p95: float | None
    longest: float | None
    per_second: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bank")
    parser.add_argument(
        "-n", "--number", type=at_least(1), default=50, metavar="N", help="number of recalls (default: 50)"
    )
    parser.add_argument("--clients", type=at_least(1), default=1, metavar="N", help="concurrent clients (default: 1)")
    parser.add_argument("--queries", type=Path, metavar="FILE", help="one query per line (default: words of memories)")
    parser.add_argument("--budget", choices=["low", "mid", "high"], default="low")


def run(session: Session, given: Given) -> int:
    queries = list(islice(cycle(find_queries(session.client, given)), given.number))
    for query in queries[:WARMING_UP]:
        session.client.recall(given.bank, query, budget=given.budget)
    timing = measure(session, given, queries)
    if session.out.as_json:
        session.out.json({"bank_id": given.bank, "budget": given.budget, **asdict(timing)})
    else:
        times = {"p50": timing.p50, "p95": timing.p95, "longest": timing.longest}
        rows = [(name, "" if value is None else f"{value:.1f} ms") for name, value in times.items()]
        session.out.table(["", ""], [*rows, ("per second", f"{timing.per_second:.1f}"), ("errors", timing.errors)])
    return Exit.FAILED if timing.errors else Exit.DONE


def find_queries(client: MemoryClient, given: Given) -> Sequence[str]:
    if given.queries is not None:
        found = [line.strip() for line in given.queries.read_text(encoding="utf-8").splitlines() if line.strip()]
    else:
        newest = islice(client.memories.list(given.bank, limit=100), given.number)
        found = [" ".join(one.text.split()[:WORDS]) for one in newest]
    if not found:
        raise BadUsage("No queries: the bank has no memories, or the file has no lines.")
    return found


def measure(session: Session, given: Given, queries: Sequence[str]) -> Timing:
    with session.out.progress(f"Asking {given.bank}", total=len(queries)) as move:
        started = perf_counter()
        times: list[float | None] = []
        with ThreadPoolExecutor(given.clients) as callers:
            asked = callers.map(lambda query: time_one(session.client, given.bank, query, given.budget), queries)
            for taken in asked:
                times.append(taken)
                move(done=len(times))
        seconds = perf_counter() - started
    return summarise(times, seconds, given.clients)


def time_one(client: MemoryClient, bank: str, query: str, budget: Budget) -> float | None:
    """None for a failed recall, which is counted separately."""
    started = perf_counter()
    try:
        client.recall(bank, query, budget=budget)
    except MemoryPlatformError:
        return None
    return (perf_counter() - started) * 1000


def summarise(times: Sequence[float | None], seconds: float, clients: int) -> Timing:
    answered = sorted(one for one in times if one is not None)
    return Timing(
        recalls=len(times),
        errors=len(times) - len(answered),
        clients=clients,
        p50=percentile(answered, 50),
        p95=percentile(answered, 95),
        longest=percentile(answered, 100),
        per_second=len(answered) / seconds,
    )


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """By nearest rank: the smallest value that `percent` per cent of the values do not exceed."""
    return ordered[math.ceil(len(ordered) * percent / 100) - 1] if ordered else None


COMMAND = Command("benchmark", "Measure how long recalls of a bank take.", add_arguments, run)
