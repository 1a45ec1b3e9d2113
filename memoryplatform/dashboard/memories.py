"""Pages of memories: the list with its filters, one memory, and the acts on one or several of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.cache import cache
from django.db.models import Count, Q
from django.db.models.functions import Left
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import make_aware
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from banks.entities.names.normalise import normalise_name
from banks.enums import FACTUAL, Network
from banks.errors import BankError
from banks.lifecycle.closing_by_hand import Invalidation
from banks.lifecycle.editing import UnitEdit
from banks.lifecycle.history import read_history
from banks.models import Bank, Entity, EntityName, MemoryUnit, UnitChange, UnitSource, UnitTag
from banks.models.bank import VECTOR_COLUMNS
from banks.models.unit import UnitQuerySet
from memoryplatform.dashboard.access import BankRequest, bank_page, perform
from memoryplatform.dashboard.bank import read_growth
from memoryplatform.dashboard.texts import LONGEST, Part, compare, mark_excerpt
from memoryplatform.operations.access import name_of
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.conversations import read_neighbours
from memoryplatform.operations.entities import find_entities
from memoryplatform.operations.erasures.targets import Kind, Target
from memoryplatform.operations.erasures.use_cases import erase_memory, preview_memories, request_erasure
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.memories import memory_filter, single
from memoryplatform.operations.memories.described_units import read_entities, read_tags
from tenants.transactions import QuotaExceeded, tenant_transaction

PAGE_SIZE = 50
MOST_CHOSEN = 100  # memories of one act
MOST_LABELS = 20  # tags or metadata values of one filter
SUGGESTED = 100  # tags and entities
SHORT = 400  # characters of a text in the list
KEPT_SECONDS = 300
TIME_CHOICES = [("mentioned_at", "Said"), ("occurred_start", "Happened"), ("recorded_at", "Recorded")]
STATE_CHOICES = [("current", "Current"), ("superseded", "Closed"), ("all", "All")]
LINK_WORDS = {
    ("semantic", "out"): "Similar",
    ("semantic", "in"): "Similar",
    ("causes", "out"): "Causes",
    ("causes", "in"): "Caused by",
    ("caused_by", "out"): "Caused by",
    ("caused_by", "in"): "Causes",
    ("enables", "out"): "Enables",
    ("enables", "in"): "Enabled by",
    ("prevents", "out"): "Prevents",
    ("prevents", "in"): "Prevented by",
}
CHANGE_WORDS = {
    "edited": "Edited",
    "merged": "Said again",
    "invalidated": "Closed by hand",
    "superseded": "Replaced by a newer memory",
    "scheduled": "An end is scheduled",
    "restored": "Restored",
}
MOMENTS = {"occurred_start", "occurred_end", "mentioned_at", "valid_until", "expired_at", "valid_from"}


class FilterForm(forms.Form):
    """Filters of the list. A value that can't be read does not filter, and the page says so."""

    q = forms.CharField(required=False, max_length=1_000, strip=False)
    network = forms.ChoiceField(required=False, choices=[("", ""), *Network.choices])
    state = forms.ChoiceField(required=False, choices=[("", ""), *STATE_CHOICES])
    entity = forms.CharField(required=False, max_length=300)
    time = forms.ChoiceField(required=False, choices=[("", ""), *TIME_CHOICES])
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)
    as_of = forms.DateTimeField(required=False)
    known_at = forms.DateTimeField(required=False)


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
        units, next_place = cut_page(rows, request.GET.get("after", ""))
        ids = [unit.id for unit in units]
        tags, entities = read_tags(request.bank, ids), read_entities(request.bank, ids)
        context = {
            "rows": [(unit, tags[unit.id], entities[unit.id][:4]) for unit in units],
            "asked": asked,
            "given": request.GET,
            "is_later_page": bool(request.GET.get("after")),
            "next": build_query(asked.query, after=next_place) if next_place else "",
            "networks": read_growth(request.bank),
            "states": STATE_CHOICES,
            "times": TIME_CHOICES,
        }
        if not request.htmx:  # type: ignore[attr-defined]  # set by its middleware
            context |= suggest(request.bank)
    address = f"{request.path}?{asked.query.urlencode()}" if asked.query else request.path
    template = "results" if request.htmx else "list"  # type: ignore[attr-defined]
    answer = render(request, f"dashboard/memories/{template}.html", context)
    answer["HX-Push-Url"] = address
    answer["Vary"] = "HX-Request"  # the same address has a whole page and a part of it
    return answer


def read_filters(bank: Bank, given: QueryDict) -> Asked:
    """Call inside a tenant transaction."""
    form = FilterForm(given)
    form.is_valid()
    read = form.cleaned_data
    faults = [f"“{given[name][:60]}” can't be read as {name.replace('_', ' ')}." for name in form.errors]
    tags = [tag[:200] for tag in given.getlist("tag") if tag.strip() and "\x00" not in tag][:MOST_LABELS]
    pairs = [tuple(one.split("=", 1)) for one in given.getlist("meta") if "=" in one and "\x00" not in one]
    metadata = tuple((key.strip()[:100], value.strip()[:500]) for key, value in pairs[:MOST_LABELS])
    faults += [
        f"Metadata is written as name=value, not “{one[:60]}”."
        for one in given.getlist("meta")
        if one and "=" not in one
    ]
    entity = find_entity(bank, read.get("entity", "").strip())
    if read.get("entity", "").strip() and entity is None:
        faults.append(f"No entity of this bank is called “{read['entity'][:60]}”.")
    query = clean_query(given, form, tags, metadata)
    wanted = memory_filter.MemoryFilter(
        words=read.get("q", "") if read.get("q", "").strip() else "",
        is_typed=True,
        network=read.get("network", ""),
        tags=tuple(tags),
        tags_match="all_strict",
        metadata=metadata,
        entity_id=(entity.id if entity else UUID(int=0)) if read.get("entity", "").strip() else None,
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
        if name in given and name not in form.errors and given[name].strip() not in {"", usual}:
            query[name] = given[name]
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


def cut_page(rows: UnitQuerySet, after: str) -> tuple[list[MemoryUnit], str]:
    """The page that follows the place, by the index of `mentioned_at`, and the place of the page after it."""
    place = read_place(after)
    if place:
        moment, unit_id = place
        rows = rows.filter(Q(mentioned_at__lt=moment) | Q(id__lt=unit_id), mentioned_at__lte=moment)
    found = list(
        rows.annotate(short=Left("text", SHORT))
        .defer("text", "search_text", "context", "dimensions", *VECTOR_COLUMNS)
        .order_by("-mentioned_at", "-id")[: PAGE_SIZE + 1]
    )
    last = found[PAGE_SIZE - 1] if len(found) > PAGE_SIZE else None
    return found[:PAGE_SIZE], f"{last.mentioned_at.isoformat()}_{last.id}" if last else ""


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


@bank_page(Right.VIEW)
@require_GET
def memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    access = request.access.to_bank()
    with bank_transaction(access, request.bank.bank_id) as bank:
        unit = single.get_unit(bank, memory_id)
        described = single.show(bank, unit).described
        history = read_history(bank, unit)
        near = read_neighbours(bank, [one.message for one in described.sources if one.message])
        others = (
            MemoryUnit.objects.of_bank(bank)
            .defer(*VECTOR_COLUMNS)
            .in_bulk([one.other_unit_id for one in described.sources if one.other_unit_id])
        )
    whole = request.GET.get("all") == "1" or len(unit.text) <= LONGEST
    context = {
        "unit": unit,
        "described": described,
        "text": unit.text if whole else unit.text[:LONGEST],
        "is_cut": not whole,
        "bar": build_bar(unit, timezone.now()),
        "sources": [show_source(bank, one, near, others) for one in described.sources],
        "links": [(LINK_WORDS[one.type, one.direction], one) for one in described.links],
        "history": history,
        "changes": [show_change(one) for one in reversed(history.changes)],
        "is_factual": unit.network in FACTUAL,
    }
    return render(request, "dashboard/memories/memory.html", context)


@dataclass(frozen=True)
class Lane:
    """A bar in hundredths of the width. An open side has no known date."""

    x: float
    width: float
    open_left: bool
    open_right: bool


@dataclass(frozen=True)
class Bar:
    """When a memory was true in the world, and when it was known. All places are in hundredths of the width."""

    true: Lane | None  # None: it never was
    known: Lane
    said: float
    now: float
    start: datetime
    end: datetime


def build_bar(unit: MemoryUnit, now: datetime) -> Bar:
    given = [
        unit.valid_from,
        unit.valid_until,
        unit.occurred_start,
        unit.recorded_at,
        unit.expired_at,
        unit.mentioned_at,
    ]
    moments = [one for one in given if one] + [now]
    start, end = min(moments), max(moments)
    room = max((end - start) * 0.06, timedelta(hours=1))
    start, end = start - room, end + room

    def place(moment: datetime) -> float:
        return round((moment - start) / (end - start) * 100, 2)

    def lane(begin: datetime | None, stop: datetime | None, *, last: datetime) -> Lane:
        left, right = place(begin) if begin else 0.0, place(stop or last)
        return Lane(left, max(right - left, 0.6), begin is None, stop is None)

    never = unit.close_reason == MemoryUnit.CloseReason.CORRECTION
    true = None if never else lane(unit.valid_from, unit.valid_until, last=end)
    return Bar(
        true, lane(unit.recorded_at, unit.expired_at, last=end), place(unit.mentioned_at), place(now), start, end
    )


def show_source(
    bank: Bank, source: UnitSource, near: dict[UUID, list[Any]], others: dict[UUID, MemoryUnit]
) -> dict[str, Any]:
    shown: dict[str, Any] = {"row": source, "unit": others.get(source.other_unit_id) if source.other_unit_id else None}
    if source.message:
        quoted = mark_excerpt(source.message.content, source.start, source.end)
        around = near.get(source.message.id, [source.message])
        shown["messages"] = [
            (one, quoted if one.id == source.message.id else [Part(one.content[:300])], one.id == source.message.id)
            for one in around
        ]
        shown["address"] = conversation_address(bank, source.message.thread, source.message.id)
    elif source.chunk:
        shown["parts"] = mark_excerpt(source.chunk.text, source.start, source.end)
        shown["document"] = source.chunk.document
    return shown


def conversation_address(bank: Bank, thread: str, message_id: UUID | None = None) -> str:
    place = {"thread": thread} | ({"message": str(message_id)} if message_id else {})
    return f"{reverse('conversation', args=[bank.bank_id])}?{urlencode(place)}" + (
        f"#m-{message_id}" if message_id else ""
    )


def show_change(change: UnitChange) -> dict[str, Any]:
    fields = []
    for name in {**change.before, **change.after}:
        before, after = change.before.get(name), change.after.get(name)
        if name == "text":
            fields.append(("Text", compare(str(before or ""), str(after or "")), None, None))
        elif name not in {"search_text", "superseded_by", "expired_at"} and before != after:
            title = name.replace("_", " ").capitalize()
            fields.append((title, None, show_value(name, before), show_value(name, after)))
    return {"row": change, "title": CHANGE_WORDS[change.action], "fields": fields}


def show_value(name: str, value: Any) -> Any:
    """A moment stays one, so that the page writes it in the reader's zone."""
    if name in MOMENTS and isinstance(value, str):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return value
    if isinstance(value, dict):
        return ", ".join(f"{key}={held}" for key, held in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else value


LOCAL = "%Y-%m-%dT%H:%M"


def moment_field(label: str, help_text: str = "") -> forms.DateTimeField:
    widget = forms.DateTimeInput({"type": "datetime-local"}, format=LOCAL)
    return forms.DateTimeField(label=label, required=False, widget=widget, help_text=help_text)


class EditForm(forms.Form):
    text = forms.CharField(label="Text", max_length=100_000, widget=forms.Textarea({"rows": 5}))
    network = forms.ChoiceField(label="Network", choices=[("world", "World"), ("experience", "Experience")])
    confidence = forms.FloatField(
        label="Confidence", min_value=0, max_value=1, widget=forms.NumberInput({"step": "0.01"})
    )
    context = forms.CharField(label="Context", required=False, max_length=2_000)
    occurred_start = moment_field("Happened from (UTC)")
    occurred_end = moment_field("Happened until (UTC)", "Not included.")
    importance = forms.FloatField(
        label="Importance", min_value=0, max_value=1, widget=forms.NumberInput({"step": "0.05"})
    )
    tags = forms.CharField(label="Tags", required=False, help_text="Separated by commas.")
    metadata = forms.CharField(
        label="Metadata", required=False, widget=forms.Textarea({"rows": 2}), help_text="One name=value on each line."
    )
    reason = forms.CharField(
        label="Reason", required=False, max_length=500, help_text="Shown in the history of the memory."
    )
    version = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *given: Any, of: MemoryUnit, **more: Any) -> None:
        super().__init__(*given, **more)
        del self.fields["network" if of.network not in FACTUAL else "confidence"]
        if of.network == Network.OBSERVATION:
            self.fields.pop("confidence", None)

    def clean_tags(self) -> tuple[str, ...]:
        tags = tuple(dict.fromkeys(tag.strip() for tag in self.cleaned_data["tags"].split(",") if tag.strip()))
        if len(tags) > 100 or any(len(tag) > 200 for tag in tags):  # noqa: PLR2004
            raise forms.ValidationError("At most 100 tags of at most 200 characters.")
        return tags

    def clean_metadata(self) -> dict[str, str]:
        lines = [line for line in self.cleaned_data["metadata"].splitlines() if line.strip()]
        pairs = [(key.strip(), value.strip()) for key, found, value in (line.partition("=") for line in lines) if found]
        if len(pairs) < len(lines) or any(len(key) > 100 or len(value) > 500 for key, value in pairs):  # noqa: PLR2004
            raise forms.ValidationError(
                "Write name=value on each line, the name up to 100 and the value up to 500 characters."
            )
        return dict(pairs)

    def edit(self) -> UnitEdit:
        names = [name for name in self.changed_data if name not in {"reason", "version"}]
        given = {name: self.cleaned_data[name] for name in names}
        cleared = frozenset(name for name, value in given.items() if value is None)
        return UnitEdit(**{name: value for name, value in given.items() if value is not None}, cleared=cleared)


def read_editable(shown: single.ShownMemory) -> dict[str, Any]:
    unit = shown.described.unit
    names = ("network", "confidence", "context", "importance", "occurred_start", "occurred_end")
    values = {name: getattr(unit, name) for name in names}
    cut = {
        name: value.replace(second=0, microsecond=0) for name, value in values.items() if isinstance(value, datetime)
    }  # the input field has minutes
    return (
        values
        | cut
        | {
            "text": unit.rendered_text,
            "tags": ", ".join(shown.described.tags),
            "metadata": "\n".join(f"{key}={value}" for key, value in shown.described.metadata.items()),
            "version": shown.version,
        }
    )


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def edit_memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    shown = single.show_memory(access, bank_id, memory_id)
    unit = shown.described.unit
    form = EditForm(request.POST or None, of=unit, initial=read_editable(shown))
    if request.method == "POST" and form.is_valid():
        try:
            edit, reason = form.edit(), form.cleaned_data["reason"]
            if edit != UnitEdit():
                expected = frozenset({form.cleaned_data["version"] or shown.version})
                single.edit_memory(access, bank_id, memory_id, edit, expected=expected, reason=reason)
            messages.success(request, "The memory is saved.")
            return redirect("memory", bank_id, memory_id)
        except (BankError, OperationError, QuotaExceeded) as error:
            form.add_error(None, str(error))
    context = {"unit": unit, "form": form, "is_closed": unit.expired_at is not None}
    return render(request, "dashboard/memories/edit.html", context, status=422 if form.errors else 200)


class CloseForm(forms.Form):
    reason = forms.ChoiceField(
        label="Why",
        choices=[("update", "It was true, and is no longer"), ("correction", "It never was true")],
        widget=forms.RadioSelect,
        initial="update",
    )
    valid_until = moment_field("True until (UTC)", "Empty: until now.")
    explanation = forms.CharField(
        label="Explanation", required=False, max_length=500, help_text="Shown in the history of the memory."
    )


def choose_units(request: BankRequest) -> list[MemoryUnit]:
    """The memories that the form or the address names. An id that is none, or of another bank, is a 404."""
    try:
        ids = list(dict.fromkeys(UUID(one) for one in (request.POST or request.GET).getlist("id")))[:MOST_CHOSEN]
    except ValueError:
        raise Http404 from None
    with tenant_transaction(request.access.tenant_id):
        rows = MemoryUnit.objects.of_bank(request.bank).filter(id__in=ids).annotate(short=Left("text", SHORT))
        units = list(rows.defer("text", "search_text", *VECTOR_COLUMNS).order_by("-mentioned_at", "-id"))
    if not ids or len(units) < len(ids):
        raise Http404
    return units


def lead_back(request: BankRequest, units: Sequence[MemoryUnit], *, gone: bool = False) -> HttpResponse:
    if len(units) == 1 and not gone:
        return redirect("memory", request.bank.bank_id, units[0].id)
    return redirect("memories", request.bank.bank_id)


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def close_memories(request: BankRequest) -> HttpResponse:
    """Shows the form first: a list posts the chosen memories here."""
    units, is_sent = choose_units(request), "reason" in request.POST
    form = CloseForm(request.POST if is_sent else None)
    if is_sent and form.is_valid():
        access = request.access.to_bank()
        invalidation = Invalidation(**form.cleaned_data, actor=name_of(access))
        faults = []
        for unit in units:
            try:
                single.invalidate_memory(access, request.bank.bank_id, unit.id, invalidation)
            except (BankError, OperationError) as error:
                faults.append(str(error))
        if not faults or len(faults) < len(units):
            closed = len(units) - len(faults)
            messages.success(request, f"{closed} {'memory is' if closed == 1 else 'memories are'} closed.")
            for fault in faults[:1]:
                messages.warning(request, f"{len(faults)} could not be closed: {fault}")
            return lead_back(request, units)
        form.add_error(None, faults[0])
    context = {"units": units, "form": form}
    return render(request, "dashboard/memories/close.html", context, status=422 if form.errors else 200)


@bank_page(Right.WRITE)
@require_POST
def restore_memory(request: BankRequest, memory_id: UUID) -> HttpResponse:
    def act() -> str:
        reason = request.POST.get("reason", "").replace("\x00", "")[:500]
        single.restore_memory(request.access.to_bank(), request.bank.bank_id, memory_id, reason=reason)
        return "The memory is current again."

    return perform(request, act, reverse("memory", args=[request.bank.bank_id, memory_id]))


@bank_page(Right.WRITE)
@require_http_methods(["GET", "POST"])
def erase_memories(request: BankRequest) -> HttpResponse:
    """Shows what would go, exactly, and erases when that is confirmed."""
    units, access, bank_id = choose_units(request), request.access.to_bank(), request.bank.bank_id
    try:
        if request.POST.get("confirmed") == "yes":
            return erase(request, units)
        receipt = preview_memories(access, bank_id, [unit.id for unit in units])
    except BankError as error:
        messages.error(request, str(error))
        return lead_back(request, units)
    counts = [(name.replace("_", " "), count) for name, count in sorted(receipt.erased.items())]
    rewritten = [(name.replace("_", " "), count) for name, count in sorted(receipt.rewritten.items())]
    context = {"units": units, "erased": counts, "rewritten": rewritten, "samples": receipt.samples}
    return render(request, "dashboard/memories/erase.html", context)


def erase(request: BankRequest, units: Sequence[MemoryUnit]) -> HttpResponse:
    """One memory is gone when this returns; a worker erases several."""
    access, bank_id = request.access.to_bank(), request.bank.bank_id
    if len(units) == 1:
        erase_memory(access, bank_id, units[0].id)
        messages.success(request, "The memory is erased, with the words that it came from.")
    else:
        for unit in units:
            request_erasure(access, Target(Kind.MEMORY, bank_id, str(unit.id)))
        messages.success(request, f"{len(units)} memories are being erased, with the words that they came from.")
    return lead_back(request, units, gone=True)
