"""Pages of the log of LLM requests: the list with its filters, one request with its texts, and the switch."""

from datetime import datetime, time
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.timezone import make_aware
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from memoryplatform.dashboard.access import TenantRequest, perform, tenant_page
from memoryplatform.dashboard.faults import list_form_faults, read_id, write_fault
from memoryplatform.operations.account import llm_log
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.errors import AccountInvalid, LLMRequestNotFound
from memoryplatform.operations.account.llm_log import RequestFilter, find_requests, get_request
from memoryplatform.operations.models import TASKS
from tenants.transactions import tenant_transaction

PAGE_SIZE = 50


class RequestForm(forms.Form):
    """Filters of the list. A value that can't be read does not filter; the page says so."""

    task = forms.ChoiceField(label="Task", required=False, choices=[("", "All"), *((one, one) for one in TASKS)])
    model = forms.CharField(label="Model", required=False, max_length=200)
    bank = forms.CharField(label="Bank", required=False, max_length=200)
    operation = forms.UUIDField(label="Operation", required=False)
    outcome = forms.CharField(label="Outcome", required=False, max_length=60)
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def wanted(self) -> RequestFilter:
        self.is_valid()
        given = self.cleaned_data
        since, last = given.get("since"), given.get("until")
        return RequestFilter(
            given.get("task", ""),
            given.get("model", ""),
            given.get("bank", ""),
            given.get("operation"),
            given.get("outcome", ""),
            make_aware(datetime.combine(since, time())) if since else None,
            make_aware(datetime.combine(last, time.max)) if last else None,
        )


@never_cache
@tenant_page(Right.MANAGE)
@require_GET
def llm_requests(request: TenantRequest) -> HttpResponse:
    form, before = RequestForm(request.GET), read_id(request.GET.get("before", ""))
    query = request.GET.copy()
    query.pop("before", None)
    with tenant_transaction(request.access.tenant_id):
        days = llm_log.read_log_days(request.access.tenant_id)
        rows = find_requests(request.access, form.wanted()).order_by("-id")
        found = list((rows.filter(id__lt=before) if before else rows)[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    context = {
        "days": days,
        "form": form,
        "faults": list_faults(form, request.GET.get("before", "")),
        "requests": shown,
        "longest": max((row.milliseconds for row in shown), default=0),
        "currency": settings.PRICE_CURRENCY,
        "query": query.urlencode(),
        "is_filtered": any(query.values()),
        "before": before,
        "older": shown[-1].id if len(found) > PAGE_SIZE else None,
    }
    return render(request, "dashboard/llm_requests.html", context)


def list_faults(form: RequestForm, before: str) -> list[str]:
    faults = list_form_faults(form)
    return [*faults, write_fault("Older", before)] if before and not read_id(before) else faults


@never_cache
@tenant_page(Right.MANAGE)
@require_GET
def llm_request(request: TenantRequest, llm_request_id: UUID) -> HttpResponse:
    try:
        row = get_request(request.access, llm_request_id)
    except LLMRequestNotFound:
        raise Http404 from None
    return render(request, "dashboard/llm_request.html", {"row": row, "currency": settings.PRICE_CURRENCY})


@tenant_page(Right.MANAGE)
@require_POST
def change_llm_log(request: TenantRequest) -> HttpResponse:
    def act() -> str:
        given = request.POST.get("days", "")
        if not given.isdecimal():
            raise AccountInvalid({"days": "Give a number of days."})
        days = llm_log.set_log_days(request.access, int(given[:9]))
        return f"LLM requests are logged and kept for {days} days." if days else "The log is off, and it is deleted."

    return perform(request, act, "own_llm")
