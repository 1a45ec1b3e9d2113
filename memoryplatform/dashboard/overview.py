"""The overview of a tenant: banks, work, usage, recalls, and the first steps of a new tenant."""

from datetime import UTC, datetime, time
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import trigger_client_event

from banks.errors import BankExists
from banks.models import MemoryUnit
from memoryplatform.accounts.adapter import INVITATION
from memoryplatform.dashboard.access import TenantRequest, lead_to_login, tenant_page
from memoryplatform.dashboard.forms import BankForm
from memoryplatform.dashboard.operations import clean_words, list_current_work
from memoryplatform.dashboard.shown_once import forget_secret, lead_to_secret, read_secret
from memoryplatform.embedded.demo import find_demo_bank
from memoryplatform.operations.account import api_keys as keys
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.usage import report_plan
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.opinions import queues
from memoryplatform.operations.overview import (
    RecallFigures,
    find_first_memory,
    list_bank_summaries,
    measure_recalls,
)
from tenants.memberships import list_memberships
from tenants.models import ApiKey
from tenants.transactions import QuotaExceeded, tenant_transaction

MOST_BANKS = 50
DEMO_SHOWN = 3  # opinions of the demo agent
A_YEAR = 365 * 24 * 60 * 60


@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """A person with an open invitation goes to it, one without a tenant founds one."""
    if not request.user.is_authenticated:
        return lead_to_login(request)
    if token := request.session.get(INVITATION):
        return redirect("invitation", token=token)
    if not list_memberships(request.user.id):
        return redirect("found_tenant")
    return overview(request)


@tenant_page(Right.VIEW)
def overview(request: TenantRequest) -> HttpResponse:
    return show_overview(request, BankForm())


@tenant_page(Right.WRITE)
@require_POST
def new_bank(request: TenantRequest) -> HttpResponse:
    form = BankForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        change = BankChange(name=given["name"] or None, background=given["background"] or None)
        try:
            bank = create_bank(request.access.to_bank(), given["bank_id"], change)
        except BankExists as error:
            form.add_error("bank_id", str(error))
        except QuotaExceeded as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"The bank {bank.name} is ready.")
            return redirect("bank", bank.bank_id)
    return show_overview(request, form)


@never_cache
@tenant_page(Right.MANAGE)
@require_POST
def first_key(request: TenantRequest) -> HttpResponse:
    """The overview shows the key once, inside the snippet."""
    wanted = keys.KeyRequest("First steps", (ApiKey.Scope.READ.value, ApiKey.Scope.WRITE.value))
    new = keys.create_key(request.access, wanted)
    return lead_to_secret(request, "dashboard", new.key.id, new.text)


@tenant_page(Right.VIEW)
@require_GET
def first_memory(request: TenantRequest) -> HttpResponse:
    """The last step of the first steps, which the page asks for again and again."""
    with tenant_transaction(request.access.tenant_id):
        memory = find_first_memory(request.access.to_bank())
    answer = render(request, "dashboard/overview/first_memory.html", {"memory": memory})
    return trigger_client_event(answer, "first-memory") if memory else answer  # the figures below are read again


@tenant_page(Right.VIEW)
@require_GET
def current_work(request: TenantRequest) -> HttpResponse:
    """The part of the overview that it asks for again while something runs."""
    with tenant_transaction(request.access.tenant_id):
        running, failed = list_current_work(request.access.tenant_id)
    return render(request, "dashboard/overview/work.html", {"running": running, "failed": failed})


@tenant_page(Right.VIEW)
@require_POST
def dismiss_first_steps(request: TenantRequest) -> HttpResponse:
    """For this browser. `?steps=1` shows them again."""
    response = redirect("dashboard")
    response.set_cookie(
        name_cookie(request), "dismissed", A_YEAR, httponly=True, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )
    return response


def name_cookie(request: TenantRequest) -> str:
    return f"first-steps-{request.access.tenant_id.hex}"


def show_overview(request: TenantRequest, form: BankForm) -> HttpResponse:
    access, words = request.access.to_bank(), clean_words(request.GET.get("q", ""))
    with tenant_transaction(access.tenant_id):
        banks = list_bank_summaries(access, words=words, limit=MOST_BANKS)
        recalls = measure_recalls(access.tenant_id)
        running, failed = list_current_work(access.tenant_id)
        steps = build_steps(request)
        demo = find_demo_bank(access.tenant_id)
        opinions = list(queues.find_queue(demo, queues.QueueFilter())[:DEMO_SHOWN]) if demo else []
    plan = report_plan(request.access)
    context = {
        "banks": banks,
        "words": words,
        "use": {use.quota: use for use in plan.quotas},
        "plan": plan,
        "recalls": recalls,
        "volume_chart": build_chart(recalls, "recalls"),
        "latency_chart": build_chart(recalls, "slow"),
        "running": running,
        "failed": failed,
        "form": form,
        "steps": steps,
        "demo": demo,
        "opinions": opinions,
    }
    answer = render(request, "dashboard/overview/page.html", context, status=422 if form.errors else 200)
    return forget_secret(answer) if steps and steps["new"] else answer


def build_steps(request: TenantRequest) -> dict[str, Any] | None:
    """None once a program has stored a memory, after a dismissal, and for those who can't write.

    They are a line where there are memories to look at, such as those of the demo.

    Call inside a tenant transaction.
    """
    usable = ApiKey.objects.for_tenant(request.access.tenant_id).filter(revoked_at=None).order_by("-id")
    newest_id = usable.values_list("id", flat=True).first()
    new = read_secret(request, newest_id) if newest_id else ""
    wanted = bool(new) or "steps" in request.GET
    if not request.access.allows(Right.WRITE) or (not wanted and name_cookie(request) in request.COOKIES):
        return None
    memory = find_first_memory(request.access.to_bank())
    if memory and not wanted:
        return None
    is_open = wanted or not MemoryUnit.objects.for_tenant(request.access.tenant_id).exists()
    return {
        "is_open": is_open,
        "new": new,
        "has_key": newest_id is not None,
        "memory": memory,
        "url": request.build_absolute_uri("/").rstrip("/"),
    }


def build_chart(recalls: RecallFigures, name: str) -> dict[str, Any]:
    """For static/charts.js. A day without a recall has no latency."""
    kind = {"label": "Recalls", "kind": "bars"} if name == "recalls" else {"label": "95th percentile", "kind": "bars"}
    values = [getattr(one, name) for one in recalls.days]
    return {
        "x": [datetime.combine(one.day, time.min, UTC).timestamp() for one in recalls.days],
        "series": [kind | {"values": [None if value is None else round(value) for value in values]}],
        "unit": "" if name == "recalls" else "ms",
        "utc": True,
    }
