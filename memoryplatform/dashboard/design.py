"""The page of the design system, for people who build pages. It is there only while DEBUG is on."""

from datetime import UTC, datetime

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

GROWTH = [3, 5, 4, 8, 9, 14, 12, 18, 21, 20, 27, 31]
START = 1767225600  # 1 January 2026, in seconds


@login_required
@require_GET
def design(request: HttpRequest) -> HttpResponse:
    if not settings.DEBUG:
        raise Http404
    context = {
        "themes": ["light", "dark"],
        "networks": ["world", "experience", "opinion", "observation"],
        "growth": GROWTH,
        "moment": datetime.now(UTC),
        "chart": {
            "x": [START + day * 86400 for day in range(len(GROWTH))],
            "series": [
                {"label": "Recalls", "kind": "area", "values": GROWTH},
                {"label": "Retains", "kind": "line", "values": GROWTH[::-1]},
            ],
        },
    }
    return render(request, "dashboard/design.html", context)
