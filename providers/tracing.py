"""OpenTelemetry traces: a span for each request, operation and call of a model. Off unless `start_tracing` was called.

The provider of spans is our own, not OpenTelemetry's global one, so that a library's spans do not appear by accident.
Spans hold names, ids and times, never texts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

HEADER = "traceparent"
TRACER: Any = None  # opentelemetry.trace.Tracer, which is an extra


class TracingUnavailable(Exception):
    """The packages of OpenTelemetry are not installed."""


def start_tracing(url: str | None = None, *, exporter: Any = None) -> None:
    """Send spans to `url` (OTLP over HTTP) in batches, or to `exporter` at once."""
    global TRACER  # noqa: PLW0603  # one for the process
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    except ImportError as error:
        raise TracingUnavailable('TRACING_URL needs OpenTelemetry: pip install "memoryplatform[tracing]".') from error
    provider = TracerProvider(resource=Resource.create({"service.name": "memoryplatform"}))
    processor = SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(OTLPSpanExporter(endpoint=url))
    provider.add_span_processor(processor)
    TRACER = provider.get_tracer("memoryplatform")


@contextmanager
def traced(name: str, *, carrier: Mapping[str, str] | None = None, **attributes: str | int) -> Iterator[Any]:
    """A span around the block, below the open span or the one that `carrier` names. Yields the span, or None."""
    if TRACER is None:
        yield None
        return
    silent = {"record_exception": False, "set_status_on_exception": False}  # the text of an error may hold memories
    with TRACER.start_as_current_span(name, context=read_context(carrier), attributes=attributes, **silent) as span:
        yield span


@contextmanager
def traced_call(name: str, **attributes: str | int) -> Iterator[None]:
    """A span without spans below it. It may end in another context than it began in, as that of a stream does."""
    span = TRACER.start_span(name, attributes=attributes) if TRACER is not None else None
    try:
        yield
    except BaseException as error:
        if span is not None:
            span.set_attribute("error.type", type(error).__name__)  # not its text
        raise
    finally:
        if span is not None:
            span.end()


def read_context(carrier: Mapping[str, str] | None) -> Any:
    """None, which means the open span, unless the carrier names another one."""
    if not carrier or not carrier.get(HEADER):
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({HEADER: carrier[HEADER]})


def write_carrier() -> dict[str, str]:
    """The open span, for another process. Empty without one."""
    if TRACER is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return {HEADER: carrier[HEADER]} if HEADER in carrier else {}
