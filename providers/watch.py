"""Prometheus metrics of every provider call, counted where the call is made so that no caller can forget.

With an endpoint every HTTP request counts, so a rate limit shows even when a retry got through.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from prometheus_client import Counter, Histogram

from providers.usage import Usage

CALLS = Counter(
    "memoryplatform_provider_calls_total",
    "Calls of model providers; outcome is ok, abandoned or the class of the error.",
    ["provider", "kind", "outcome"],
)
SECONDS = Histogram(
    "memoryplatform_provider_seconds",
    "How long calls of model providers took.",
    ["provider", "kind"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
)
TOKENS = Counter(
    "memoryplatform_provider_tokens_total",
    "Tokens that model providers read (input) and wrote (output).",
    ["provider", "direction"],
)


@dataclass(frozen=True)
class WatchedCall:
    provider: str

    def spent(self, usage: Usage) -> None:
        TOKENS.labels(self.provider, "input").inc(usage.input_tokens)
        TOKENS.labels(self.provider, "output").inc(usage.output_tokens)


@contextmanager
def watched(provider: str, kind: str) -> Iterator[WatchedCall]:
    started = perf_counter()
    outcome = "ok"
    try:
        yield WatchedCall(provider)
    except GeneratorExit:
        outcome = "abandoned"
        raise
    except BaseException as error:
        outcome = type(error).__name__
        raise
    finally:
        SECONDS.labels(provider, kind).observe(perf_counter() - started)
        CALLS.labels(provider, kind, outcome).inc()
