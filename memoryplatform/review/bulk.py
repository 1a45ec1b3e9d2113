"""One act on several opinions at once, after a page that shows them and asks for the reason."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest
from django.template.response import TemplateResponse

from banks.admin.looking import note_listing
from banks.admin.memory_admin import parse_id
from banks.errors import BankError
from memoryplatform.review.acting import act_on, name_reviewer, read_versions
from memoryplatform.review.forms import LABELS, ReasonForm
from reflection.models import Opinion
from reflection.opinions.review import Act, Review
from tenants.platform_admin import PLATFORM

MOST = 100  # opinions at once
DONE = {Act.APPROVE: "approved", Act.RETIRE: "retired", Act.PIN: "pinned"}


def review_selected(request: HttpRequest, act: Act, context: dict[str, Any]) -> TemplateResponse | None:
    """The page that asks, or None after the act. `context` is what every page of the admin has."""
    is_confirmed = "confirmed" in request.POST
    form = ReasonForm(request.POST if is_confirmed else None, chosen=act)
    chosen = read_chosen(request)
    if is_confirmed and form.is_valid():
        given = Review(act, name_reviewer(request), form.cleaned_data["reason"])
        perform(request, chosen, given)
        return None
    note_listing(request, str(Opinion._meta.model_name), chosen)
    versions = read_versions(chosen)
    page = {
        "title": LABELS[act].partition(":")[0],
        "subtitle": LABELS[act],
        "form": form,
        "action": f"{act.value}_selected",
        "act": act,
        "chosen": [(opinion, versions[opinion.pk]) for opinion in chosen],
        "checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/reflection/opinion/review_selected.html", {**context, **page})


def read_chosen(request: HttpRequest) -> list[Opinion]:
    """By their ids alone: one that has left the queue meanwhile must be told, not dropped."""
    given = request.POST.getlist(ACTION_CHECKBOX_NAME)[:MOST]
    ids = [found for found in map(parse_id, given) if found]
    rows = Opinion.objects.using(PLATFORM).filter(pk__in=ids).select_related("bank", "tenant").defer("embedding")
    return list(rows.order_by("-id"))


def find_malformed(request: HttpRequest) -> list[str]:
    """What was sent as the id of an opinion and can't be one."""
    return [given for given in request.POST.getlist(ACTION_CHECKBOX_NAME) if parse_id(given) is None]


def perform(request: HttpRequest, opinions: Sequence[Opinion], given: Review) -> None:
    seen = {text.partition("-")[0]: text for text in request.POST.getlist("version")}
    done = 0
    for opinion in opinions:
        try:
            act_on(request, opinion, given, version=seen.get(opinion.pk.hex, ""))
            done += 1
        except BankError as error:
            messages.error(request, f"“{opinion}” was left as it is: {error}")
    if done:
        messages.success(request, f"{done} opinion{'' if done == 1 else 's'} {DONE[given.act]}.")
