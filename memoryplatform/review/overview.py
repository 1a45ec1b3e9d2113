"""The admin's first page: the number of opinions that need review, by tenant."""

from typing import Any

from django.db.models import Count
from django.http import HttpRequest

from reflection.models import Opinion
from tenants.platform_admin import PLATFORM

MOST_TENANTS = 12


def show_waiting(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's DASHBOARD_CALLBACK."""
    if not request.user.has_perm("reflection.view_opinion"):
        return context
    waiting = Opinion.objects.using(PLATFORM).held().needing_review().values("tenant__name", "tenant__slug")
    counted = waiting.annotate(count=Count("pk")).order_by("-count", "tenant__name")
    return context | {"waiting": list(counted[:MOST_TENANTS])}
