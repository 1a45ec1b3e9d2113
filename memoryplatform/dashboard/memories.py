"""The list of memories: search, filters that the address holds, and pages by a cursor."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.core.cache import cache
from django.db.models import Count, Q
from django.db.models.functions import Left
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.timezone import make_aware
from django.views.decorators.http import require_GET

from banks.entities.names.normalise import normalise_name
from banks.enums import Network
from banks.former_values import read_former_values
from banks.models import Bank, Entity, EntityName, MemoryUnit, UnitTag
from banks.models.bank import VECTOR_COLUMNS
from banks.models.unit import UnitQuerySet
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.bank import read_growth
from memoryplatform.dashboard.faults import list_form_faults
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.entities import find_entities
from memoryplatform.operations.memories import memory_filter
from memoryplatform.operations.memories.described_units import read_entities, read_tags
from tenants.transactions import tenant_transaction

PAGE_SIZE = 50
MOST_LABELS = 20  # tags or metadata values of one filter
SUGGESTED = 100  # tags and entities
MOST_COUNTED = 5_000  # memories that a filter lets pass
SHORT = 400  # characters of a text in the list
KEPT_SECONDS = 300
NOBODY = UUID(int=0)
TIME_CHOICES = [("mentioned_at", "Said"), ("occurred_start", "Happened"), ("recorded_at", "Recorded")]
STATE_CHOICES = [("current", "Current"), ("superseded", "Ended"), ("all", "All")]


class FilterForm(forms.Form):
    """Filters of the list. A value that can't be read does not filter, and the page says so."""

    q = forms.CharField(label="Words", required=False, max_length=1_000, strip=False)
    network = forms.ChoiceField(required=False, choices=[("", ""), *Network.choices])
    state = forms.ChoiceField(required=False, choices=[("", ""), *STATE_CHOICES])
    entity = forms.CharField(required=False, max_length=300)
    time = forms.ChoiceField(required=False, choices=[("", ""), *TIME_CHOICES])
    since = forms.DateField(label="From", required=False)
    until = forms.DateField(label="To", required=False)
    as_of = forms.DateTimeField(label="True on", required=False)
    known_at = forms.DateTimeField(label="Known on", required=False)


@dataclass(frozen=True)
class Chip:
    """A condition that is in force, and the address of the list without it."""

    label: str
    value: str
    address: str


@dataclass(frozen=True)
class Asked:
    """The conditions of an address, and what could not be read of it."""

    wanted: memory_filter.MemoryFilter
    chips: list[Chip]
    faults: list[str]
    query: QueryDict  # without empty values and without the place in the list


@bank_page(Right.VIEW)
@require_GET
def memories(request: BankRequest) -> HttpResponse:
    with tenant_transaction(request.access.tenant_id):
        asked = read_filters(request.bank, request.GET)
        rows = memory_filter.find_units(request.bank, asked.wanted)
        is_ended = asked.wanted.state == "superseded" and not (asked.wanted.as_of or asked.wanted.known_at)
        units, next_place = cut_page(
            rows, request.GET.get("after", ""), by="expired_at" if is_ended else "mentioned_at"
        )
        if asked.wanted.known_at:
            show_as_known(request.bank, units, asked.wanted.known_at)
        counts = count_networks(request.bank, asked)
        ids = [unit.id for unit in units]
        tags, entities = read_tags(request.bank, ids), read_entities(request.bank, ids)
        context = {
            "rows": [(unit, tags[unit.id], entities[unit.id][:4]) for unit in units],
            "asked": asked,
            "given": request.GET,
            "is_later_page": bool(request.GET.get("after")),
            "next": build_query(asked.query, after=next_place) if next_place else "",
            "networks": [(name, counts.get(name)) for name in Network.values],
            "is_part": wants_part(request),
            "is_ended": is_ended,
            "states": STATE_CHOICES,
            "times": TIME_CHOICES,
        }
        if not wants_part(request):
            context |= suggest(request.bank)
    address = f"{request.path}?{asked.query.urlencode()}" if asked.query else request.path
    template = "results" if wants_part(request) else "list"
    answer = render(request, f"dashboard/memories/{template}.html", context)
    answer["HX-Push-Url"] = address
    return answer


def read_filters(bank: Bank, given: QueryDict) -> Asked:
    """Call inside a tenant transaction."""
    form = FilterForm(given)
    form.is_valid()
    read = form.cleaned_data
    faults = list_form_faults(form)
    tags = tuple(tag.strip()[:200] for tag in read_labels(given, "tag"))
    written = read_labels(given, "meta")
    pairs = [one.partition("=") for one in written if "=" in one]
    metadata = tuple((key.strip()[:100], value.strip()[:500]) for key, _, value in pairs)
    faults += [f"Metadata is written as name=value, not “{one[:60]}”." for one in written if "=" not in one]
    name = read.get("entity", "").strip()
    entity = find_entity(bank, name)
    if name and entity is None:
        faults.append(f"No entity of this bank is called “{name[:60]}”.")
    query = clean_query(given, form, tags, metadata)
    wanted = memory_filter.MemoryFilter(
        words=read.get("q", "") if read.get("q", "").strip() else "",
        is_typed=True,
        network=read.get("network", ""),
        tags=tags,
        tags_match="all_strict",
        metadata=metadata,
        entity_id=entity.id if entity else NOBODY if name else None,
        spans=(
            memory_filter.Span(
                read.get("time") or "mentioned_at", begin_day(read.get("since")), begin_day(read.get("until"), days=1)
            ),
        ),
        state=read.get("state") or "current",
        as_of=read.get("as_of"),
        known_at=read.get("known_at"),
    )
    return Asked(wanted, build_chips(query, entity), faults, query)


def read_labels(given: QueryDict, name: str) -> list[str]:
    return [one for one in given.getlist(name) if one.strip() and "\x00" not in one][:MOST_LABELS]


def begin_day(day: Any, *, days: int = 0) -> datetime | None:
    try:
        return make_aware(datetime.combine(day, time()), UTC) + timedelta(days=days) if day else None
    except OverflowError:
        return None


def find_entity(bank: Bank, named: str) -> Entity | None:
    """By its id, by one of its names, or by the beginning of a name; the most mentioned one."""
    if not named:
        return None
    rows = Entity.objects.of_bank(bank).defer(*VECTOR_COLUMNS)
    try:
        return rows.filter(id=UUID(named)).first()
    except ValueError:
        names = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
        same = rows.filter(id__in=names.filter(normalised_name=normalise_name(named)).values("entity_id"))
        alike = find_entities(bank, name=named).defer(*VECTOR_COLUMNS)
        return same.order_by("-mention_count").first() or alike.order_by("-mention_count").first()


def clean_query(
    given: QueryDict, form: FilterForm, tags: Iterable[str], metadata: Iterable[tuple[str, str]]
) -> QueryDict:
    """Only the values that filter."""
    query = QueryDict(mutable=True)
    for name in form.fields:
        usual = {"state": "current", "time": "mentioned_at"}.get(name, "")
        value = str(given.get(name, ""))
        if name not in form.errors and value.strip() not in {"", usual}:
            query[name] = value
    if not (query.get("since") or query.get("until")):
        query.pop("time", None)
    query.setlist("tag", list(tags))
    query.setlist("meta", [f"{key}={value}" for key, value in metadata])
    for name in ("tag", "meta"):
        if not query.getlist(name):
            del query[name]
    return query


def build_query(query: QueryDict, **more: str) -> str:
    return "?" + urlencode([*((name, value) for name, values in query.lists() for value in values), *more.items()])


def build_chips(query: QueryDict, entity: Entity | None) -> list[Chip]:
    titles = {
        "q": "Words",
        "as_of": "True at",
        "known_at": "Known at",
        "since": "From",
        "until": "To",
        "meta": "Metadata",
    }
    chips = []
    for name, values in query.lists():
        for value in values if name != "time" else []:
            rest = query.copy()
            rest.setlist(name, [one for one in values if one != value])
            shown = entity.name if name == "entity" and entity else dict(STATE_CHOICES).get(value, value)
            chips.append(Chip(titles.get(name, name.capitalize()), shown, build_query(rest)))
    return chips


def count_networks(bank: Bank, asked: Asked) -> Mapping[str, int]:
    """Memories of each network that the other filters let pass. Empty where they are too many to count for a page.

    Call inside a tenant transaction.
    """
    if asked.query.keys() <= {"network"}:
        return {one.network: one.total for one in read_growth(bank)}
    rows = memory_filter.find_units(bank, replace(asked.wanted, network="")).order_by()
    found = list(rows.values_list("network", flat=True)[: MOST_COUNTED + 1])
    return dict.fromkeys(Network.values, 0) | Counter(found) if len(found) <= MOST_COUNTED else {}


def cut_page(rows: UnitQuerySet, after: str, *, by: str) -> tuple[list[MemoryUnit], str]:
    """The page that follows the place, newest first by the time column `by`, and the place of the page after it."""
    place = read_place(after)
    if place:
        moment, unit_id = place
        rows = rows.filter(Q(**{f"{by}__lt": moment}) | Q(id__lt=unit_id), **{f"{by}__lte": moment})
    found = list(
        rows.annotate(short=Left("text", SHORT))
        .defer("text", "search_text", "context", "dimensions", *VECTOR_COLUMNS)
        .order_by(f"-{by}", "-id")[: PAGE_SIZE + 1]
    )
    last = found[PAGE_SIZE - 1] if len(found) > PAGE_SIZE else None
    return found[:PAGE_SIZE], f"{getattr(last, by).isoformat()}_{last.id}" if last else ""


def show_as_known(bank: Bank, units: Sequence[MemoryUnit], known_at: datetime) -> None:
    """Changes the rows, which are not saved. Call inside a tenant transaction."""
    former = read_former_values(bank.tenant_id, [unit.id for unit in units], known_at)
    for unit in units:
        before = former.get(unit.id, {})
        if unit.expired_at and unit.expired_at > known_at:
            unit.expired_at, unit.valid_until, unit.close_reason = None, None, ""
        if "valid_until" in before:
            written = before["valid_until"]
            unit.valid_until = datetime.fromisoformat(written) if written else None
        unit.confidence = before.get("confidence", unit.confidence)
        if "text" in before:
            unit.short = before["text"][:SHORT]  # type: ignore[attr-defined]  # an annotation of `cut_page`


def read_place(written: str) -> tuple[datetime, UUID] | None:
    moment, _, unit_id = written.partition("_")
    try:
        place = datetime.fromisoformat(moment), UUID(unit_id)
    except ValueError:
        return None
    return place if place[0].tzinfo else None


def suggest(bank: Bank) -> dict[str, Any]:
    """Names for the fields of tags and entities. Call inside a tenant transaction."""
    key = f"suggested:{bank.id}"
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).order_by()
        tags = rows.values_list("tag").annotate(count=Count("*")).order_by("-count", "tag")[:SUGGESTED]
        names = Entity.objects.of_bank(bank).order_by("-mention_count", "id").values_list("name", flat=True)[:SUGGESTED]
        found = {"known_tags": [tag for tag, _ in tags], "known_entities": list(names)}
        cache.set(key, found, KEPT_SECONDS)
    return found
