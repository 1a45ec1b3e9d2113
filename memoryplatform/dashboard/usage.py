"""Pages of usage and plan."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from memoryplatform.dashboard.access import TenantRequest, tenant_page
from memoryplatform.dashboard.forms import UsageForm
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.errors import AccountInvalid
from memoryplatform.operations.account.usage import UsageRequest, report_plan, report_usage
from tenants.usage import UsageSum


@tenant_page(Right.VIEW)
@require_GET
def usage(request: TenantRequest) -> HttpResponse:
    """Faults of the form show the usual days with a message."""
    form = UsageForm(request.GET)
    given = form.cleaned_data if form.is_valid() else {}
    asked = UsageRequest.build(given.get("since"), given.get("until"), (given.get("by") or "day").split())
    try:
        report = report_usage(request.access, asked)
    except AccountInvalid as error:
        form.add_error(None, str(error))
        asked = UsageRequest.build()
        report = report_usage(request.access, asked)
    daily = report_usage(request.access, UsageRequest.build(asked.since, asked.until)).rows
    query = urlencode({"since": asked.since, "until": asked.until, "group_by": asked.group_by}, doseq=True)
    context = {
        "form": form,
        "report": report,
        "headings": [dict(UsageForm.GROUPS)[name] for name in asked.group_by],
        "newest_first": reversed(report.rows) if "day" in asked.group_by else report.rows,
        "columns": build_columns(asked, daily),
        "csv": f"/v1/account/usage?{query}&format=csv",
    }
    return render(request, "dashboard/usage.html", context, status=422 if form.errors else 200)


def build_columns(asked: UsageRequest, daily: Sequence[UsageSum]) -> list[dict[str, Any]]:
    """A column of the chart for each day, in per cent of the busiest day."""
    requests = {row.group[0]: row.requests for row in daily}
    most = max(requests.values(), default=0) or 1
    columns = []
    for place in range((asked.until - asked.since).days + 1):
        day = str(asked.since + timedelta(days=place))
        height = requests.get(day, 0) * 100 / most
        columns.append({"day": day, "place": place, "requests": requests.get(day, 0), "height": height})
        columns[-1]["top"] = 100 - height
    return columns


@tenant_page(Right.VIEW)
@require_GET
def plan(request: TenantRequest) -> HttpResponse:
    return render(request, "dashboard/plan.html", {"plan": report_plan(request.access)})
