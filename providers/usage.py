"""The usage of provider calls, and their Prometheus metrics.

Each provider counts its own calls, so that no caller can forget it. Every HTTP request to an endpoint counts, so a rate
limit shows even if a retry succeeded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import Literal, Self

from prometheus_client import Counter, Histogram

from providers.tracing import traced_call

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


Service = Literal["llm", "own_llm", "embedding", "reranking"]


@dataclass(frozen=True)
class ModelUsage:
    """The part of a usage that one model has."""

    service: Service
    model: str
    input_tokens: int
    output_tokens: int
    calls: int

    def __add__(self, other: Self) -> "ModelUsage":
        return ModelUsage(
            self.service,
            self.model,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
        )


@dataclass(frozen=True)
class Usage:
    """The tokens and calls of a provider. Retries without an answer are not in it: they cost nothing.

    `estimated`: at least a part was counted here, because the endpoint gave no count. `models` are the same tokens and
    calls by model.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False
    models: tuple[ModelUsage, ...] = field(default=(), compare=False)

    @classmethod
    def of_call(
        cls, service: Service, model: str, input_tokens: int, output_tokens: int = 0, *, estimated: bool = False
    ) -> "Usage":
        part = ModelUsage(service, model, input_tokens, output_tokens, calls=1)
        return cls(input_tokens, output_tokens, 1, estimated, (part,))

    def __add__(self, other: Self) -> "Usage":
        parts = {(part.service, part.model): part for part in self.models}
        for part in other.models:
            name = (part.service, part.model)
            parts[name] = parts[name] + part if name in parts else part
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            estimated=self.estimated or other.estimated,
            models=tuple(parts.values()),
        )


@dataclass
class CallMeter:
    usage: Usage = field(default_factory=Usage)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(self, usage: Usage) -> None:
        with self._lock:
            self.usage += usage


_meter: ContextVar[CallMeter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[CallMeter]:
    """Adds up the calls of this context, for work that fails and returns no usage. Meters may be nested."""
    outer, meter = _meter.get(), CallMeter()
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)
        if outer is not None:
            outer.add(meter.usage)


@dataclass(frozen=True)
class WatchedCall:
    provider: str

    def spent(self, usage: Usage) -> None:
        if meter := _meter.get():
            meter.add(usage)
        TOKENS.labels(self.provider, "input").inc(usage.input_tokens)
        TOKENS.labels(self.provider, "output").inc(usage.output_tokens)


@contextmanager
def watched(provider: str, kind: str) -> Iterator[WatchedCall]:
    started = perf_counter()
    outcome = "ok"
    try:
        with traced_call(f"provider {kind}", provider=provider):
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
