"""Pages of usage and plan."""

from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from memoryplatform.dashboard.access import TenantRequest, tenant_page
from memoryplatform.dashboard.faults import list_form_faults
from memoryplatform.dashboard.forms import UsageForm
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.api_keys import list_keys
from memoryplatform.operations.account.errors import AccountInvalid
from memoryplatform.operations.account.usage import UsageReport, UsageRequest, report_plan, report_usage
from tenants.usage import UsageSum

RANGES = (7, 30, 90)  # days
MOST_SERIES = 5  # further groups are drawn as one
OTHER = "Other"
KINDS = {"retain": "Retain", "recall": "Recall", "reflect": "Reflect", "consolidate": "Consolidate", "edit": "Edit"}


@tenant_page(Right.VIEW)
@require_GET
def usage(request: TenantRequest) -> HttpResponse:
    """Faults of the form show the usual days with a message."""
    form = UsageForm(request.GET)
    given = form.cleaned_data if form.is_valid() else {}
    groups = (given.get("by") or "day").split()
    split = next((name for name in groups if name != "day"), None)
    asked = UsageRequest.build(given.get("since"), given.get("until"), groups)
    try:
        report, by_day = report_both(request, asked, split)
    except AccountInvalid as error:
        form.add_error(None, list(error.faults.values()))  # without the names of the API's fields
        asked, split = UsageRequest.build(), None
        report, by_day = report_both(request, asked, split)
    measure = given.get("measure") or "requests"
    titles = read_titles(request, asked.group_by)
    query = {"since": asked.since, "until": asked.until, "group_by": asked.group_by}
    rows = [(row, [titles.get(value, value) for value in row.group], read_amount(row, measure)) for row in report.rows]
    newest_first = "day" in asked.group_by
    context = {
        "form": form,
        "faults": list_form_faults(form),
        "report": report,
        "has_prices": bool(settings.MODEL_PRICES),
        "headings": [dict(UsageForm.GROUPS)[name] for name in asked.group_by],
        "rows": rows[::-1] if newest_first else sorted(rows, key=lambda one: -one[2]),
        "most": max((amount for *_, amount in rows), default=0),
        "by": " ".join(asked.group_by),
        "measure": measure,
        "measure_title": dict(UsageForm.MEASURES)[measure],
        "measures": UsageForm.MEASURES,
        "groups": UsageForm.GROUPS,
        "ranges": list_ranges(asked),
        "chart": build_chart(by_day, measure, titles),
        "csv": f"/v1/account/usage?{urlencode(query, doseq=True)}&format=csv",
    }
    return render(request, "dashboard/usage.html", context)


def report_both(request: TenantRequest, asked: UsageRequest, split: str | None) -> tuple[UsageReport, UsageReport]:
    """The table, and the days of the chart: split by the group of the table, where it has one."""
    by_day = UsageRequest(asked.since, asked.until, ("day", split) if split else ("day",))
    report = report_usage(request.access, asked)
    return report, report if by_day == asked else report_usage(request.access, by_day)


def read_titles(request: TenantRequest, group_by: tuple[str, ...]) -> dict[str, str]:
    """The names of keys, for those who may see them, and of kinds."""
    if "key" in group_by and request.access.allows(Right.MANAGE):
        return {one.key.prefix: f"{one.key.name} (mpk_{one.key.prefix}_…)" for one in list_keys(request.access)}
    return KINDS if "kind" in group_by else {}


def list_ranges(asked: UsageRequest) -> list[tuple[int, date, bool]]:
    today = timezone.now().date()
    starts = [(days, today - timedelta(days=days - 1)) for days in RANGES]
    return [(days, since, (asked.since, asked.until) == (since, today)) for days, since in starts]


def read_amount(row: UsageSum, measure: str) -> float:
    return float(getattr(row, measure))


def build_chart(report: UsageReport, measure: str, titles: dict[str, str]) -> dict[str, Any]:
    """For static/charts.js: a bar for every day of the report, with a part for each of the largest groups."""
    span = report.request
    days = [span.since + timedelta(days=place) for place in range((span.until - span.since).days + 1)]
    amounts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in report.rows:
        day, *group = row.group
        amounts[group[0] if group else ""][day] += read_amount(row, measure)
    ranked = sorted(amounts, key=lambda name: -sum(amounts[name].values()))
    for name in ranked[MOST_SERIES:]:
        for day, amount in amounts.pop(name).items():
            amounts[OTHER][day] += amount
    names = ranked[:MOST_SERIES] + ([OTHER] if len(ranked) > MOST_SERIES else [])
    is_split = len(span.group_by) > 1
    series = [
        {
            "label": (titles.get(name, name) or "None") if is_split else dict(UsageForm.MEASURES)[measure],
            "values": [amounts[name][str(day)] for day in days],
            "kind": "bars",
        }
        for name in names
    ]
    return {
        "x": [datetime.combine(day, time.min, UTC).timestamp() for day in days],
        "series": series,
        "stacked": True,
        "utc": True,
        "unit": report.currency if measure == "cost" else "",
    }


@tenant_page(Right.VIEW)
@require_GET
def plan(request: TenantRequest) -> HttpResponse:
    return render(request, "dashboard/plan.html", {"plan": report_plan(request.access)})
