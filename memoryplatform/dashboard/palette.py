"""The command palette: pages, banks, and memories and entities: of the open bank, else of those used last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from banks.errors import BankNotFound
from banks.models import Bank
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.dashboard.access import TenantRequest, tenant_page
from memoryplatform.dashboard.context import ACCOUNT, BANK_NAVIGATION, NAVIGATION
from memoryplatform.operations.account.access import RIGHTS, Right
from memoryplatform.operations.banks.profile import find_banks, get_bank
from memoryplatform.operations.entities import find_entities
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.overview import list_bank_summaries
from tenants.transactions import tenant_transaction

LIMIT = 5  # of each group
LONGEST = 200  # characters of the words
MOST_BANKS = 4  # that are searched for memories and entities while none is open
SHORTEST = 2  # characters of words that memories are searched for


@dataclass(frozen=True)
class Target:
    title: str
    address: str
    icon: str
    note: str = ""


@tenant_page(Right.VIEW)
@require_GET
def palette(request: TenantRequest) -> HttpResponse:
    words = request.GET.get("q", "").strip().replace("\x00", "")[:LONGEST]
    with tenant_transaction(request.access.tenant_id):
        groups = [(title, targets[:LIMIT]) for title, targets in find_groups(request, words) if targets]
    return render(request, "dashboard/palette.html", {"groups": groups, "words": words})


def find_groups(request: TenantRequest, words: str) -> Iterator[tuple[str, list[Target]]]:
    bank = find_open_bank(request)
    if bank:
        yield bank.name or bank.bank_id, find_bank_pages(request, bank, words)
        yield from find_contents([bank], words)
    yield "Banks", list_banks(request, words)
    yield "Pages", find_pages(request, words)
    if not bank:
        used = list_bank_summaries(request.access.to_bank(), limit=MOST_BANKS) if len(words) >= SHORTEST else []
        yield from find_contents([one.bank for one in used], words)


def find_contents(banks: Sequence[Bank], words: str) -> Iterator[tuple[str, list[Target]]]:
    """Each target names its bank if there are several."""
    if len(words) < SHORTEST:
        return
    for title, find in (("Entities", find_entity_pages), ("Memories", find_memories)):
        found = [(bank, one) for bank in banks for one in find(bank, words)]
        yield title, [replace(one, note=bank.name or bank.bank_id) if len(banks) > 1 else one for bank, one in found]


def find_open_bank(request: TenantRequest) -> Bank | None:
    try:
        return get_bank(request.access.to_bank(), request.GET.get("bank", ""))
    except BankNotFound:
        return None


def find_pages(request: TenantRequest, words: str) -> list[Target]:
    rights = RIGHTS[request.access.role]
    entries = [entry[:3] for entry in NAVIGATION if entry[3] in rights] + list(ACCOUNT)
    return [Target(title, reverse(name), glyph) for name, title, glyph in entries if words.lower() in title.lower()]


def find_bank_pages(request: TenantRequest, bank: Bank, words: str) -> list[Target]:
    rights = RIGHTS[request.access.role]
    return [
        Target(title, reverse(name, args=[bank.bank_id]), glyph)
        for name, title, glyph, right in BANK_NAVIGATION
        if right in rights and words.lower() in title.lower()
    ]


def list_banks(request: TenantRequest, words: str) -> list[Target]:
    rows = find_banks(request.access.to_bank(), words=words).order_by("name", "bank_id")[:LIMIT]
    return [Target(one.name or one.bank_id, reverse("bank", args=[one.bank_id]), "brain", one.bank_id) for one in rows]


def find_memories(bank: Bank, words: str) -> list[Target]:
    rows = find_units(bank, MemoryFilter(words=words, is_typed=True)).defer(*VECTOR_COLUMNS)
    return [
        Target(one.text[:LONGEST], reverse("memory", args=[bank.bank_id, one.id]), "database", one.network)
        for one in rows.order_by("-mentioned_at", "-id")[:LIMIT]
    ]


def find_entity_pages(bank: Bank, words: str) -> list[Target]:
    rows = find_entities(bank, name=words).defer(*VECTOR_COLUMNS).order_by("-mention_count", "id")[:LIMIT]
    return [
        Target(one.name, reverse("entity", args=[bank.bank_id, one.id]), "shapes", one.kind.lower()) for one in rows
    ]
