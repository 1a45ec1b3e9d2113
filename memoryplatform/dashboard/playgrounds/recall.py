"""The recall playground: one query under one or two settings, each with its trace. The URL holds the whole state."""

import json
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from rest_framework.exceptions import ValidationError

from banks.enums import Network
from banks.models import Bank, Chunk, MemoryUnit
from memoryplatform.api.errors import list_faults
from memoryplatform.api.mcp.tools.recall import RecallArguments
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.recall_input import MOST_RESULTS, RecallInput
from memoryplatform.dashboard.access import BankRequest, bank_page, wants_part
from memoryplatform.dashboard.playgrounds.questions import suggest
from memoryplatform.dashboard.playgrounds.recall_trace import (
    CHANNELS,
    SCORES,
    STAGES,
    ShownRecall,
    compare_ranks,
    show_recall,
)
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.recall import recall
from providers.errors import EmbeddingModelUnavailable
from retrieval.errors import NothingSearched, Overloaded, QueryError
from tenants.transactions import tenant_transaction

CUT_SHOWN = 20  # candidates that the token budget cut, and as many that were dropped
LONGEST_QUERY = 2_000  # characters; recall reads no more
USUAL = {"budget": "mid", "max_tokens": 4096}
MATCHES = (
    ("any_strict", "One of the tags"),
    ("all_strict", "All of the tags"),
    ("exact", "Exactly the tags"),
    ("any", "One of the tags, or untagged"),
    ("all", "All of the tags, or untagged"),
)
MOMENT = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


def split_names(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


class SettingsForm(forms.Form):
    """The settings of one recall. Those of the second one have the prefix `b`."""

    budget = forms.ChoiceField(
        label="Budget", required=False, choices=[("low", "Low"), ("mid", "Mid"), ("high", "High")], initial="mid"
    )
    max_tokens = forms.IntegerField(label="Max tokens", required=False, min_value=0, max_value=100_000, initial=4096)
    max_results = forms.IntegerField(label="Max results", required=False, min_value=1, max_value=MOST_RESULTS)
    fill = forms.BooleanField(label="Fill the tokens, relevant or not", required=False)
    types = forms.MultipleChoiceField(
        label="Networks", required=False, choices=Network.choices, widget=forms.CheckboxSelectMultiple
    )
    entities = forms.CharField(label="Entities", required=False, max_length=2_000)
    tags = forms.CharField(label="Tags", required=False, max_length=2_000)
    tags_match = forms.ChoiceField(label="A memory has", required=False, choices=MATCHES)
    as_of = forms.DateTimeField(label="True at (UTC)", required=False, widget=MOMENT)
    known_at = forms.DateTimeField(label="Known at (UTC)", required=False, widget=MOMENT)
    history = forms.BooleanField(label="Include memories that have ended", required=False)
    plain = forms.BooleanField(label="Without the reranker", required=False)

    def build_body(self, query: str) -> dict[str, Any]:
        """The body of the same call over HTTP, without defaults. Precondition: the form is valid."""
        given = self.cleaned_data
        tags = split_names(given["tags"])
        body: dict[str, Any] = {
            "budget": given["budget"] or USUAL["budget"],
            "max_tokens": USUAL["max_tokens"] if given["max_tokens"] is None else given["max_tokens"],
            "max_results": given["max_results"],
            "fill": given["fill"],
            "types": given["types"],
            "entities": split_names(given["entities"]),
            "tags": tags,
            "tags_match": (given["tags_match"] or MATCHES[0][0]) if tags else "",
            "as_of": given["as_of"] and given["as_of"].isoformat(),
            "known_at": given["known_at"] and given["known_at"].isoformat(),
            "history": given["history"],
        }
        kept = {name: value for name, value in body.items() if value or name == "max_tokens"}
        return {"query": query, **kept} | ({"rerank": False} if given["plain"] else {})

    def count_filters(self) -> int:
        names = ("types", "entities", "tags", "as_of", "known_at", "history", "plain")
        return sum(bool(self[name].value()) for name in names)


@dataclass
class Side:
    """One setting with its recall, or the reason why there is none."""

    letter: str
    form: SettingsForm
    shown: ShownRecall | None = None
    fault: str = ""
    body: dict[str, Any] | None = None


@never_cache
@bank_page(Right.VIEW)
@require_GET
def recall_playground(request: BankRequest) -> HttpResponse:
    """A recall is logged and counted as one of the API. A fault of the input is shown beside the kept input."""
    query = request.GET.get("query", "").strip()[:LONGEST_QUERY]
    compares = request.GET.get("compare") == "on"
    by_htmx = wants_part(request)
    sides = [Side("A", build_form(request.GET)), Side("B", build_form(request.GET, prefix="b"))]
    asked = sides[: 2 if compares else 1] if query else []
    for side in asked:
        ask(request, side, query)
    if compares and query and all(side.shown for side in sides):
        compare_ranks(*(side.shown for side in sides if side.shown))
    suggested = None if by_htmx else suggest(request.bank)  # the page has them
    context = {
        "query": query,
        "compares": compares,
        "sides": sides,
        "asked": asked,
        "terms": [("Searches", CHANNELS), ("Scores", SCORES), ("Time", STAGES)],
        "samples": write_samples(request, asked[0].body) if asked and asked[0].body else {},
        "names": suggested.names if suggested else [],
        "questions": suggested.for_recall if suggested else [],
        "is_empty": suggested is not None and not suggested.names and not asked and not has_memories(request.bank),
    }
    is_refused = any(side.fault for side in asked) and not by_htmx  # htmx swaps no 422
    return render(request, "dashboard/playgrounds/recall.html", context, status=422 if is_refused else 200)


def build_form(given: QueryDict, prefix: str | None = None) -> SettingsForm:
    """Without a query the page was just opened, and shows the usual settings."""
    return SettingsForm(given if "query" in given else None, prefix=prefix, auto_id="id_%s")


def ask(request: BankRequest, side: Side, query: str) -> None:
    if not side.form.is_valid():
        faults = ((side.form[name].label, map(str, found)) for name, found in side.form.errors.items())
        side.fault = " ".join(f"{label}: {' '.join(texts)}" for label, texts in faults)
        return
    body = side.form.build_body(query)
    try:
        wanted = check_input(RecallInput, {**body, "trace": True}).recall_query()
        recalled = recall(request.access.to_bank(), [request.bank.bank_id], wanted)
    except ValidationError as error:
        side.fault = " ".join(f"{one['field']}: {one['message']}" for one in list_faults(error))
    except (QueryError, NothingSearched, Overloaded, EmbeddingModelUnavailable) as error:
        side.fault = str(error)
    else:
        side.body = body
        side.shown = show_recall(recalled, wanted)
        side.shown.cut = read_cut(request.bank, side.shown.cut_ids[:CUT_SHOWN])
        side.shown.dropped = read_cut(request.bank, side.shown.dropped_ids[:CUT_SHOWN])


def read_cut(bank: Bank, ids: list[str]) -> list[MemoryUnit | Chunk]:
    """The memories and chunks that are no results, in order. The trace has only their ids."""
    if not ids:
        return []
    with tenant_transaction(bank.tenant_id):
        rows = [*MemoryUnit.objects.of_bank(bank).filter(id__in=ids), *Chunk.objects.of_bank(bank).filter(id__in=ids)]
    found = {str(row.id): row for row in rows}
    return [found[one] for one in ids if one in found]


def has_memories(bank: Bank) -> bool:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).exists()


def write_samples(request: BankRequest, body: dict[str, Any]) -> dict[str, str]:
    """The same recall as code, by the name of its language."""
    base, bank_id = request.build_absolute_uri("/").rstrip("/"), request.bank.bank_id
    tool = {name: value for name, value in body.items() if name in RecallArguments.model_fields}
    call = {"name": "recall", "arguments": {"bank_id": bank_id, **tool}}
    return {
        "curl": write_curl(f"{base}/v1/banks/{quote(bank_id, safe='')}/memories/recall", body),
        "Python": write_python(base, bank_id, body),
        "MCP": write_curl(f"{base}/mcp/", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
    }


def write_curl(address: str, body: dict[str, Any]) -> str:
    lines = [
        f"curl {shlex.quote(address)}",
        '  -H "Authorization: Bearer $MEMORYPLATFORM_API_KEY"',
        "  -H 'Content-Type: application/json'",
        f"  -d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
    ]
    return " \\\n".join(lines)


def write_python(base: str, bank_id: str, body: dict[str, Any]) -> str:
    times = {"as_of", "known_at"} & body.keys()
    options = [
        f"{name}=datetime.fromisoformat({value!r})" if name in times else f"{name}={value!r}"
        for name, value in body.items()
        if name != "query"
    ]
    lines = [
        "import os",
        *(["from datetime import datetime"] if times else []),
        "",
        "from memoryplatform_client import MemoryClient",
        "",
        f'client = MemoryClient({base!r}, api_key=os.environ["MEMORYPLATFORM_API_KEY"])',
        "recalled = client.recall(",
        *(f"    {one}," for one in (repr(bank_id), repr(body["query"]), *options)),
        ")",
        "for memory in recalled.results:",
        "    print(memory.text)",
    ]
    return "\n".join(lines)
