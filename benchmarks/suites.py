"""The benchmarks by their name on the command line. Each is a module with the function `run`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks.options import Options

MODULES = {
    "retain": "benchmarks.retain.suite",
    "locomo": "benchmarks.recall.locomo",
    "longmemeval": "benchmarks.recall.longmemeval",
    "qa": "benchmarks.qa.suite",
    "temporal": "benchmarks.recall.temporal",
    "latency": "benchmarks.latency.suite",
    "opinions": "benchmarks.opinions.suite",
    "dashboard": "benchmarks.dashboard.suite",
    "canary": "benchmarks.isolation.canary",
    "fairness": "benchmarks.isolation.fairness",
    "scale": "benchmarks.scale.suite",
    "load": "benchmarks.load.suite",
    "peers": "benchmarks.peers.suite",
}
WITHOUT_DATA = {"opinions", "dashboard", "canary", "fairness", "scale", "load"}

Suite = Callable[[Options], dict[str, Any]]


def load_suite(name: str) -> Suite:
    """Import only the chosen suite, so that it does not load the dependencies of others."""
    suite: Suite = import_module(MODULES[name]).run
    return suite
