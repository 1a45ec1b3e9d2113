"""One trace from a request over a worker to a provider."""

from collections.abc import Iterator
from typing import Any

import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from providers import tracing
from providers.usage import watched
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import use_small_models

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans() -> Iterator[Any]:
    memory = pytest.importorskip(
        "opentelemetry.sdk.trace.export.in_memory_span_exporter", reason="needs OpenTelemetry: the extra tracing"
    )
    exporter = memory.InMemorySpanExporter()
    tracing.start_tracing(exporter=exporter)
    yield exporter
    tracing.TRACER = None


def test_a_worker_continues_the_trace_of_the_request(
    spans: Any, committed_db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_models(monkeypatch)
    tenant = make_tenant("alice")
    call = Caller(make_key_with_text(tenant)[1])
    body = {"items": [{"facts": [{"text": "Ana likes tea."}]}], "async": True}
    answer = call("POST", "/v1/banks/home/memories", body, traceparent=CALLER)
    assert answer.status_code == 200, answer.content
    request = next(span for span in spans.get_finished_spans() if span.name.startswith("POST /v1/banks"))
    assert f"{request.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert request.attributes["http.response.status_code"] == 200
    with tenant_transaction(tenant.id):
        operation = Operation.objects.for_tenant(tenant.id).get(id=answer.json()["operation_id"])
    perform(tenant.id, operation.id)  # as another process would: nothing but the row connects the two
    worked = next(span for span in spans.get_finished_spans() if span.name == "operation retain")
    assert worked.context.trace_id == request.context.trace_id
    assert worked.parent.span_id == request.context.span_id
    assert "tea" not in str([(span.name, dict(span.attributes)) for span in spans.get_finished_spans()])


def test_a_call_of_a_model_is_a_span_below_the_open_one(spans: Any) -> None:
    with tracing.traced("operation test"), watched("test", "complete"):
        pass
    with pytest.raises(KeyError), watched("test", "complete"):
        raise KeyError("private words")
    with pytest.raises(KeyError), tracing.traced("operation test"):
        raise KeyError("private words")
    inner, outer, failed, failed_outer = spans.get_finished_spans()
    assert (inner.name, inner.parent.span_id) == ("provider complete", outer.context.span_id)
    assert failed.attributes["error.type"] == "KeyError"
    assert not failed.events  # no text of the error
    assert not failed_outer.events
    assert failed_outer.status.description is None


def test_nothing_is_traced_by_default() -> None:
    with tracing.traced("operation test") as span, watched("test", "complete"):
        assert span is None
        assert tracing.write_carrier() == {}
