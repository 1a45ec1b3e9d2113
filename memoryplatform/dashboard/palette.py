"""The command palette: pages, banks, memories and entities that match the words."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from memoryplatform.dashboard.access import TenantRequest, tenant_page
from memoryplatform.dashboard.context import ACCOUNT, NAVIGATION
from memoryplatform.operations.account.access import RIGHTS, Right

LIMIT = 6  # of each group


@dataclass(frozen=True)
class Target:
    title: str
    address: str
    icon: str
    note: str = ""


@tenant_page(Right.VIEW)
@require_GET
def palette(request: TenantRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip().replace("\x00", "")[:200]
    groups = [("Pages", find_pages(request, words))]
    context = {"groups": [group for group in groups if group[1]], "words": words}
    return render(request, "dashboard/palette.html", context)


def find_pages(request: TenantRequest, words: str) -> list[Target]:
    rights = RIGHTS[request.access.role]
    entries = [entry[:3] for entry in NAVIGATION if entry[3] in rights] + list(ACCOUNT)
    found = [Target(title, reverse(name), glyph) for name, title, glyph in entries if words.lower() in title.lower()]
    return found[:LIMIT]
