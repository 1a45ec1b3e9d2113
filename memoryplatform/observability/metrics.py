"""The Prometheus metrics. Each process counts; `/metrics` sums up the processes of one machine."""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from prometheus_client.registry import REGISTRY, Collector

REQUESTS = Counter("memoryplatform_requests_total", "HTTP requests.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram("memoryplatform_request_seconds", "Time of an HTTP request.", ["method", "route"])
OPERATIONS = Counter("memoryplatform_operations_total", "Operations that entered a status.", ["kind", "status"])

# By plan: a label for each tenant would have no end, and would tell who the customers are.
PLAN_REQUESTS = Counter("memoryplatform_plan_requests_total", "Requests to the API and MCP.", ["plan", "outcome"])


def count_plan_request(plan: str, outcome: str) -> None:
    PLAN_REQUESTS.labels(plan, outcome).inc()


def count_operation(kind: str, status: str) -> None:
    OPERATIONS.labels(kind, status).inc()


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    REQUESTS.labels(method, route, str(status)).inc()
    REQUEST_SECONDS.labels(method, route).observe(seconds)


def render_metrics(*extra: Collector) -> bytes:
    shared = bool(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
    registry = CollectorRegistry()
    if shared:
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    for collector in extra:
        registry.register(collector)
    return generate_latest(registry) if shared else generate_latest(REGISTRY) + generate_latest(registry)
