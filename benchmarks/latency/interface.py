"""The cost of HTTP on top of a recall: authentication, limits, parsing, serialising, compression and request log.

The use-case and the route answer the same questions alternately. Each question is asked once before, so that both
profit equally from the caches.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from banks.models import Bank
from benchmarks.latency.web import Client, serve
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from retrieval.types import RecallQuery
from tenants.keys import make_key
from tenants.transactions import tenant_transaction

WARM_UP = 20


def measure_interface(access: BankAccess, bank: Bank, texts: Sequence[str], options: Options) -> dict[str, Any]:
    with tenant_transaction(access.tenant_id):
        key = make_key(access.tenant_id, name="benchmark", scopes=["read"])[1]
    with serve() as port, closing(Client(port, key)) as client:
        for text in texts[:WARM_UP]:
            time_route(client, bank, text)
        pairs = [
            time_pair(access, bank, client, text, route_first=bool(place % 2))
            for place, text in enumerate(options.progress.over(texts, "the HTTP face"))
        ]
    return {
        "interface_ms": compare([(one.milliseconds, other.milliseconds) for one, other in pairs]),
        "interface_processor_ms": compare([(one.processor, other.processor) for one, other in pairs]),
    }


def compare(pairs: Sequence[tuple[float, float]]) -> dict[str, dict[str, float]]:
    use_case, route = (describe([pair[side] for pair in pairs]) for side in (0, 1))
    return {
        "use-case": use_case,
        "route": route,
        "added": {name: route[name] - use_case[name] for name in ("p50", "p95")},
        "added to the same question": describe([one[1] - one[0] for one in pairs]),
    }


@dataclass(frozen=True)
class Taken:
    """`processor` is the CPU time of all threads of this process. Other load on the machine affects it less."""

    milliseconds: float
    processor: float


def take_time(work: Callable[[], object]) -> Taken:
    started, used = perf_counter(), process_time()
    work()
    return Taken((perf_counter() - started) * 1000, (process_time() - used) * 1000)


def time_pair(access: BankAccess, bank: Bank, client: Client, text: str, *, route_first: bool) -> tuple[Taken, Taken]:
    """The times of the use-case and of the route."""
    time_use_case(access, bank, text)
    if route_first:
        route = time_route(client, bank, text)
        return time_use_case(access, bank, text), route
    return time_use_case(access, bank, text), time_route(client, bank, text)


def time_use_case(access: BankAccess, bank: Bank, text: str) -> Taken:
    query = parse(text)
    return take_time(lambda: recall(access, [bank.bank_id], query))


def time_route(client: Client, bank: Bank, text: str) -> Taken:
    path = f"/v1/banks/{bank.bank_id}/memories/recall"
    return take_time(lambda: client.post(path, write_body(text)))


def parse(text: str) -> RecallQuery:
    """Parse like the route, so that both perform the same recall."""
    body = RecallInput(data=write_body(text))
    body.is_valid(raise_exception=True)
    return body.recall_query()


def write_body(text: str) -> dict[str, Any]:
    return {"query": text, "budget": "low"}


def list_interface_goals(figures: dict[str, Any]) -> list[Goal]:
    added = figures["interface_ms"]["added"]
    return [
        Goal("the HTTP face adds: p50 ms", added["p50"], at_most=10),
        Goal("the HTTP face adds: p95 ms", added["p95"], at_most=25),
    ]
