"""The usage of provider calls, and their Prometheus metrics.

Each provider counts its own calls, so that no caller can forget it. Every HTTP request to an endpoint counts, so a rate
limit shows even if a retry succeeded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Self

from prometheus_client import Counter, Histogram

CALLS = Counter(
    "memoryplatform_provider_calls_total",
    "Calls of model providers; outcome is ok, abandoned or the class of the error.",
    ["provider", "kind", "outcome"],
)
SECONDS = Histogram(
    "memoryplatform_provider_seconds",
    "Duration of the calls of model providers.",
    ["provider", "kind"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120),
)
TOKENS = Counter(
    "memoryplatform_provider_tokens_total",
    "Tokens that model providers read (input) and wrote (output).",
    ["provider", "direction"],
)


@dataclass(frozen=True)
class Usage:
    """The tokens and calls of a provider. Retries without an answer are not in it: they cost nothing.

    `estimated`: at least a part was counted here, because the endpoint gave no count. The own tokens are the part of a
    tenant's own LLM.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False
    own_input_tokens: int = 0
    own_output_tokens: int = 0

    def __add__(self, other: Self) -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            estimated=self.estimated or other.estimated,
            own_input_tokens=self.own_input_tokens + other.own_input_tokens,
            own_output_tokens=self.own_output_tokens + other.own_output_tokens,
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
