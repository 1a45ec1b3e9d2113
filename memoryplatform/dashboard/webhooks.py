"""Pages of webhooks: list, create, one webhook with its deliveries, ping, secret and replay."""

import json
from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from banks.errors import BankNotFound
from memoryplatform.dashboard.access import TenantRequest, perform, tenant_page
from memoryplatform.dashboard.faults import read_id
from memoryplatform.dashboard.forms import WebhookForm
from memoryplatform.dashboard.shown_once import forget_secret, lead_to_secret, read_secret
from memoryplatform.operations import webhooks as use_cases
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks.profile import find_banks
from memoryplatform.operations.errors import DeliveryNotFound, WebhookInvalid, WebhookNotFound
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import EVENTS

PAGE_SIZE = 50
MOST_BANKS = 200  # in the choice of a bank
T = TypeVar("T")
STATES = {"": "All", **{status.value: status.label for status in Delivery.Status}}


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def webhooks(request: TenantRequest) -> HttpResponse:
    """A new webhook is shown once with its secret, after a redirect."""
    access = request.access.to_bank()
    with tenant_transaction(access.tenant_id):
        banks = list(find_banks(access).order_by("bank_id").values_list("bank_id", flat=True)[:MOST_BANKS])
    form = WebhookForm(request.POST or None, banks=banks)
    if request.method == "POST" and form.is_valid():
        try:
            new = use_cases.create_webhook(access, form.read_fields())
        except (WebhookInvalid, BankNotFound) as error:
            form.add_error("url" if isinstance(error, WebhookInvalid) else "bank_id", str(error))
        else:
            return lead_to_secret(request, reverse("webhook", args=[new.id]), new.id, new.secret)
    with tenant_transaction(access.tenant_id):
        rows = list(use_cases.find_webhooks(access).defer("secret").order_by("-id"))
    context = {"webhooks": rows, "form": form, "events": EVENTS}
    return render(request, "dashboard/webhooks.html", context, status=422 if form.errors else 200)


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def webhook(request: TenantRequest, webhook_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return show_webhook(request, webhook_id)
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            found(lambda: use_cases.change_webhook(request.access.to_bank(), webhook_id, form.read_fields()))
        except WebhookInvalid as error:
            form.add_error("url", str(error))
        else:
            return perform(request, lambda: "The webhook is changed.", reverse("webhook", args=[webhook_id]))
    return show_webhook(request, webhook_id, form=form)


@never_cache
@tenant_page(Right.MANAGE)
@require_POST
def renew_webhook_secret(request: TenantRequest, webhook_id: UUID) -> HttpResponse:
    changed = found(lambda: use_cases.renew_secret(request.access.to_bank(), webhook_id))
    return lead_to_secret(request, reverse("webhook", args=[webhook_id]), webhook_id, changed.secret)


@tenant_page(Right.MANAGE)
@require_POST
def switch_webhook(request: TenantRequest, webhook_id: UUID) -> HttpResponse:
    """On with `enabled=yes`, else off."""
    enabled = request.POST.get("enabled") == "yes"
    fields = use_cases.WebhookFields(enabled=enabled)
    done = "Events are sent again from now on." if enabled else "No further events are sent."
    return act_on(request, webhook_id, lambda access: use_cases.change_webhook(access, webhook_id, fields), done)


@tenant_page(Right.MANAGE)
@require_POST
def ping_webhook(request: TenantRequest, webhook_id: UUID) -> HttpResponse:
    done = "A ping is on its way. The log below shows the answer."
    return act_on(request, webhook_id, lambda access: use_cases.ping_webhook(access, webhook_id), done)


@tenant_page(Right.MANAGE)
@require_POST
def replay_delivery(request: TenantRequest, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
    done = "The delivery is sent once more, under the same id."
    return act_on(request, webhook_id, lambda access: use_cases.redeliver(access, webhook_id, delivery_id), done)


@tenant_page(Right.MANAGE)
@require_POST
def delete_webhook(request: TenantRequest, webhook_id: UUID) -> HttpResponse:
    found(lambda: use_cases.delete_webhook(request.access.to_bank(), webhook_id))
    return perform(request, lambda: "The webhook and its log are deleted.", "webhooks")


def act_on(request: TenantRequest, webhook_id: UUID, change: Callable[[BankAccess], object], done: str) -> HttpResponse:
    def act() -> str:
        found(lambda: change(request.access.to_bank()))
        return done

    return perform(request, act, reverse("webhook", args=[webhook_id]))


def found(act: Callable[[], T]) -> T:
    try:
        return act()
    except (WebhookNotFound, DeliveryNotFound):
        raise Http404 from None


def show_webhook(request: TenantRequest, webhook_id: UUID, *, form: WebhookForm | None = None) -> HttpResponse:
    """The secret is on the page that follows the act that made it, and nowhere else."""
    secret = read_secret(request, webhook_id)
    access, status = request.access.to_bank(), request.GET.get("status", "")
    status, before = status if status in STATES else "", read_id(request.GET.get("before", ""))
    with tenant_transaction(access.tenant_id):
        row: Webhook = found(lambda: use_cases.get_webhook(access, webhook_id))
        rows = use_cases.find_deliveries(access, webhook_id).order_by("-id")
        rows = rows.filter(status=status) if status else rows
        deliveries = list((rows.filter(id__lt=before) if before else rows)[: PAGE_SIZE + 1])
    page = deliveries[:PAGE_SIZE]
    context = {
        "webhook": row,
        "secret": secret,
        "form": form or WebhookForm(initial={"name": row.name, "url": row.url, "events": row.events}),
        "events": EVENTS,
        "deliveries": [(one, json.dumps(one.data, indent=2, ensure_ascii=False)) for one in page],
        "is_live": any(one.status == Delivery.Status.PENDING for one in page),
        "states": STATES,
        "status": status,
        "before": before,
        "older": page[-1].id if len(deliveries) > PAGE_SIZE else None,
    }
    answer = render(request, "dashboard/webhook.html", context, status=422 if form and form.errors else 200)
    return forget_secret(answer) if secret else answer
