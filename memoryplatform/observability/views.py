import hmac

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST

from memoryplatform.observability.metrics import render_metrics
from memoryplatform.observability.queue_metrics import QueueCollector


def metrics(request: HttpRequest) -> HttpResponse:
    """For the scraper. Holds no tenant's name or content; METRICS_TOKEN closes it all the same."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if settings.METRICS_TOKEN and not hmac.compare_digest(given.encode(), expected.encode()):
        return JsonResponse({"detail": "Authentication failed.", "code": "unauthenticated"}, status=401)
    return HttpResponse(render_metrics(QueueCollector()), content_type=CONTENT_TYPE_LATEST)
