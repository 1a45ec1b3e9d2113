"""The page of Prometheus metrics, with the queues of all tenants from the dispatch table."""

import hmac
from collections.abc import Iterable

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memoryplatform.observability.health import has_database
from memoryplatform.observability.metrics import render_metrics
from memoryplatform.operations.models import Dispatch

log = structlog.get_logger(__name__)


def metrics(request: HttpRequest) -> HttpResponse:
    """For the scraper, with METRICS_TOKEN. The metrics hold no tenant's name or content."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given.encode(), expected.encode()):
        refusal = {"detail": "Send METRICS_TOKEN as a bearer token.", "code": "unauthenticated"}
        return JsonResponse(refusal, status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(render_metrics(QueueCollector()), content_type=CONTENT_TYPE_LATEST)


class QueueCollector(Collector):
    """Leaves the queues out at once while the database is down: the other figures matter most then."""

    def describe(self) -> Iterable[Metric]:
        """Empty: otherwise a registration would read the table once more."""
        return []

    def collect(self) -> Iterable[Metric]:
        try:
            return read_queues() if has_database() else []
        except (DatabaseError, InterfaceError) as error:
            log.warning("metrics.queues_left_out", error=type(error).__name__)
            return []


def read_queues() -> list[Metric]:
    depth = GaugeMetricFamily("memoryplatform_queue_depth", "Unfinished operations.", labels=["queue"])
    age = GaugeMetricFamily("memoryplatform_queue_age_seconds", "Age of the oldest of them.", labels=["queue"])
    counted = Dispatch.objects.values("queue").annotate(n=Count("*"), oldest=Min("created_at"))
    rows = {row["queue"]: row for row in counted}
    for queue in (name for names in settings.QUEUE_GROUPS.values() for name in names):
        row = rows.get(queue)
        depth.add_metric([queue], row["n"] if row else 0)
        age.add_metric([queue], (timezone.now() - row["oldest"]).total_seconds() if row else 0.0)
    return [depth, age]
