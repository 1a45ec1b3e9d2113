"""Pages of one bank: the summary with its background and disposition."""

from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import messages
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from banks.models import Bank, Entity, Episode, QuarantinedItem
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS
from memoryplatform.dashboard.access import BankRequest, bank_page, perform
from memoryplatform.dashboard.operations import list_current_work
from memoryplatform.dashboard.texts import compare
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks import profile
from memoryplatform.operations.banks.profile import BankChange
from memoryplatform.operations.banks.stats import Growth, count_growth
from memoryplatform.operations.conversations import read_titles
from memoryplatform.operations.overview import MANY_MEMORIES, SECONDS_KEPT
from reflection.disposition import TRAITS, Profile, write_disposition
from reflection.models import BackgroundRevision, ObservedEntity
from tenants.transactions import tenant_transaction

DAYS = 30  # of the growth
RECENT = 6
MOST_REVISIONS = 20
TRAIT_ENDS = {
    "skepticism": ("Trusting", "Skeptical"),
    "literalism": ("Flexible", "Literal"),
    "empathy": ("Detached", "Empathetic"),
}


class DispositionForm(forms.Form):
    """The texts of the traits follow these values. A value that can't be read is the bank's own."""

    skepticism = forms.IntegerField(min_value=1, max_value=5)
    literalism = forms.IntegerField(min_value=1, max_value=5)
    empathy = forms.IntegerField(min_value=1, max_value=5)
    bias_strength = forms.FloatField(min_value=0, max_value=1)


@bank_page(Right.VIEW)
@require_GET
def bank(request: BankRequest) -> HttpResponse:
    row, tenant_id = request.bank, request.access.tenant_id
    with tenant_transaction(tenant_id):
        growth = read_growth(row)
        rows = Episode.objects.of_bank(row).defer(*VECTOR_COLUMNS, *CENTROID_COLUMNS)
        episodes = list(rows.order_by("-ended_at", "-id")[:RECENT])
        titles = read_titles(row, [one.thread for one in episodes])
        entities = Entity.objects.of_bank(row).defer(*VECTOR_COLUMNS).order_by("-mention_count", "id")
        revisions = list(BackgroundRevision.objects.of_bank(row).order_by("-number")[:MOST_REVISIONS])
        running, failed = list_current_work(tenant_id, row)
        context = {
            "growth": growth,
            "total": sum(one.total for one in growth),
            "new": sum(one.new for one in growth),
            "days": DAYS,
            "episodes": [(one, titles[one.thread]) for one in episodes],
            "entities": list(entities[: RECENT + 2]),
            "running": len(running),
            "failed": len(failed),
            "stale": ObservedEntity.objects.of_bank(row).stale().count(),
            "quarantined": QuarantinedItem.objects.for_tenant(tenant_id).filter(bank=row).count(),
        }
    context |= {
        "revisions": [(one, compare(one.before, one.after)) for one in revisions],
        "traits": describe_traits(row),
        "disposition": write_disposition(Profile.of(row)),
    }
    return render(request, "dashboard/bank/summary.html", context)


def read_growth(row: Bank) -> list[Growth]:
    """That of a large bank is up to a minute old. Call inside a tenant transaction."""
    key = f"growth:{row.id}"
    found: list[Growth] | None = cache.get(key)
    if found is None:
        found = count_growth(row, now=timezone.now(), days=DAYS)
        if sum(one.total for one in found) >= MANY_MEMORIES:
            cache.set(key, found, SECONDS_KEPT)
    return found


def describe_traits(row: Bank) -> list[dict[str, Any]]:
    return [
        {"name": name, "title": name.capitalize(), "value": getattr(row, name), "low": low, "high": high}
        for name, (low, high) in TRAIT_ENDS.items()
    ]


@bank_page(Right.VIEW)
@require_GET
def disposition(request: BankRequest) -> HttpResponse:
    """The words of a disposition that is being tried out."""
    form = DispositionForm(request.GET)
    form.is_valid()
    tried = replace(Profile.of(request.bank), **form.cleaned_data)
    values = [(name, getattr(tried, name)) for name in TRAITS] + [("bias_strength", f"{tried.bias_strength:.2f}")]
    context = {"disposition": write_disposition(tried), "values": values}
    return render(request, "dashboard/bank/disposition.html", context)


@bank_page(Right.WRITE)
@require_POST
def change_disposition(request: BankRequest) -> HttpResponse:
    form = DispositionForm(request.POST)
    if not form.is_valid():
        messages.error(request, "A trait is a number from 1 to 5, and the weight one from 0 to 1.")
        return redirect("bank", request.bank.bank_id)

    def act() -> str:
        profile.change_bank(request.access.to_bank(), request.bank.bank_id, BankChange(**form.cleaned_data))
        return "The disposition is saved. The next answers follow it."

    return perform(request, act, reverse("bank", args=[request.bank.bank_id]))


@bank_page(Right.WRITE)
@require_POST
def change_background(request: BankRequest) -> HttpResponse:
    field = forms.CharField(required=False, max_length=20_000)

    def act() -> str:
        written = field.clean(request.POST.get("background", "")).replace("\r\n", "\n")
        change = BankChange(background=written)
        profile.change_bank(request.access.to_bank(), request.bank.bank_id, change)
        return "The background is saved."

    return perform(request, act, reverse("bank", args=[request.bank.bank_id]))
