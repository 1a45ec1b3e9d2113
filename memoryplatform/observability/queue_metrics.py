"""Depth and age of the queues, read from the dispatch table: it holds every unfinished operation of every tenant."""

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memoryplatform.operations.models import Dispatch


class QueueCollector(Collector):
    def collect(self) -> Iterable[Metric]:
        depth = GaugeMetricFamily("memoryplatform_queue_depth", "Unfinished operations.", labels=["queue"])
        age = GaugeMetricFamily("memoryplatform_queue_age_seconds", "Age of the oldest of them.", labels=["queue"])
        rows = {
            row["queue"]: row
            for row in Dispatch.objects.values("queue").annotate(n=Count("*"), oldest=Min("created_at"))
        }
        for queue in (name for names in settings.QUEUE_GROUPS.values() for name in names):
            row = rows.get(queue)
            depth.add_metric([queue], row["n"] if row else 0)
            age.add_metric([queue], (timezone.now() - row["oldest"]).total_seconds() if row else 0.0)
        return [depth, age]
