"""`/banks` and a bank's `/profile`, `/background`, `/config`, `/stats`, `/tags` and `/graph`.

Hindsight's mission, reflect mission and background are all our background.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import Count, Max, Q
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import BankNotFound
from banks.models import Bank, BankAlias, Document, MemoryUnit
from memoryplatform.api.compat.hindsight import hindsight_view, settings
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1 import bank_config
from memoryplatform.api.v1.background import BackgroundInput
from memoryplatform.api.v1.bank_stats import StatsView, TagOutput, TimeseriesInput, describe_series
from memoryplatform.api.v1.banks import DispositionInput, check_bank_id
from memoryplatform.api.v1.graphs import GraphInput, build_filter, describe_memories
from memoryplatform.api.views import write_etag
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.profile import (
    BankChange,
    bank_transaction,
    change_bank,
    delete_bank_for_good,
    find_or_create_bank,
    read_version,
)
from memoryplatform.operations.banks.stats import KNOWN, MEMORIES, MENTAL_MODELS, count_by_time, find_tags
from memoryplatform.operations.graphs import MOST_NODES, draw_memories
from tenants.transactions import tenant_transaction

COUNTS_BY_TYPE = ("nodes_by_fact_type", "links_by_fact_type")  # Hindsight shows types without memories too
BACKGROUND_FIELDS = ("mission", "background", "disposition")


class HindsightBankInput(settings.HindsightSettingsInput):
    name = serializers.CharField(max_length=200, required=False)
    mission = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    background = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    disposition = DispositionInput(required=False)

    def change(self) -> BankChange:
        """Single traits override the older `disposition` object. The newest name of the mission overrides the older
        ones.
        """
        given = dict(self.validated_data)
        whole = {f"disposition_{trait}": value for trait, value in given.get("disposition", {}).items()}
        missions = (given.get(name) for name in ("reflect_mission", "mission", "background"))
        mission = next((one for one in missions if one is not None), None)
        kept = given["hindsight_settings"] or None
        change = bank_config.build_change(whole | given | {"reflect_mission": mission})
        return replace(change, name=given.get("name"), hindsight_settings=kept)


def describe_profile(bank: Bank) -> dict[str, Any]:
    return {
        "bank_id": bank.bank_id,
        "name": bank.name,
        "disposition": bank.disposition,
        "mission": bank.background,
        "background": bank.background,
    }


class HindsightBanksInput(hindsight_view.OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class HindsightBanksView(hindsight_view.HindsightView):
    def get(self, request: Request) -> object:
        wanted = hindsight_view.read_query(HindsightBanksInput, request)
        with tenant_transaction(self.tenant_id):
            banks = Bank.objects.for_tenant(self.tenant_id).live().within(self.identity.banks)
            if wanted["q"]:
                found = BankAlias.objects.for_tenant(self.tenant_id).filter(alias__icontains=wanted["q"])
                names = Q(bank_id__icontains=wanted["q"]) | Q(name__icontains=wanted["q"])
                banks = banks.filter(names | Q(id__in=found.values("bank")))
            page_of_banks = hindsight_view.cut_page(banks.order_by("-updated_at", "-id"), wanted)
            items = describe_banks(page_of_banks, words=wanted["q"])
            page = {"total": banks.count(), "limit": wanted["limit"], "offset": wanted["offset"]}
            return {"banks": items, **page}


class HindsightBankView(hindsight_view.HindsightView):
    def put(self, request: Request, bank_id: str) -> object:
        """Creates the bank or changes it."""
        check_bank_id(bank_id)
        body = hindsight_view.read_body(HindsightBankInput, request.data)
        bank = create_or_change(self.access, bank_id, body.change(), expected=self.expected)
        return describe_changed(bank, body, request.data)

    def patch(self, request: Request, bank_id: str) -> object:
        body = hindsight_view.read_body(HindsightBankInput, request.data)
        bank = change_bank(self.access, bank_id, body.change(), expected=self.expected)
        return describe_changed(bank, body, request.data)

    def delete(self, request: Request, bank_id: str) -> object:
        """A missing bank counts as deleted. The rows are removed in the background."""
        try:
            with bank_transaction(self.access, bank_id) as bank:
                count = MemoryUnit.objects.of_bank(bank).count()
            operation = delete_bank_for_good(self.access, bank_id, expected=self.expected)
        except BankNotFound:
            message = f"There is no bank '{bank_id}'."
            return {"success": True, "message": message, "deleted_count": 0}
        message = f"Bank '{bank_id}' is deleted."
        return {"success": True, "message": message, "deleted_count": count, "operation_id": operation.id}


class HindsightProfileView(hindsight_view.HindsightView):
    """Hindsight has removed this address; its client still has a method for it."""

    def get(self, _request: Request, bank_id: str) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return describe_profile(bank)

    def put(self, request: Request, bank_id: str) -> object:
        body = hindsight_view.read_body(HindsightBankInput, request.data)
        bank = change_bank(self.access, bank_id, body.change(), expected=self.expected)
        return describe_profile(bank)


def create_or_change(
    access: BankAccess, bank_id: str, change: BankChange, *, expected: frozenset[str] | None = None
) -> Bank:
    """A caller that sends `If-Match` has seen the bank, so a missing bank is not created for it."""
    if expected is not None:
        return change_bank(access, bank_id, change, expected=expected)
    bank, _ = find_or_create_bank(access, bank_id)
    return change_bank(access, bank_id, change) if change.given() else bank


def describe_changed(bank: Bank, body: HindsightBankInput, given: Any) -> dict[str, Any]:
    """The profile, with the given settings that change nothing here."""
    unknown = [name for name, value in given.items() if name not in body.fields and value is not None]
    return describe_profile(bank) | {"ignored": settings.list_ignored(body.change(), unknown)}


def describe_banks(banks: list[Bank], *, words: str = "") -> list[dict[str, Any]]:
    """Runs three queries for all banks. `words` are those of a search. Call inside a tenant transaction."""
    if not banks:
        return []
    tenant_id = banks[0].tenant_id
    units = MemoryUnit.objects.for_tenant(tenant_id).filter(bank__in=banks, expired_at=None, network__in=KNOWN)
    rows = units.order_by().values("bank_id").annotate(count=Count("*"), newest=Max("recorded_at"))
    written: dict[Any, dict[str, Any]] = {row["bank_id"]: dict(row) for row in rows}
    documents = Document.objects.for_tenant(tenant_id).filter(bank__in=banks).order_by().values_list("bank_id")
    sent = dict(documents.annotate(newest=Max("updated_at")))
    aliases: dict[Any, list[BankAlias]] = {bank.id: [] for bank in banks}
    for row in BankAlias.objects.for_tenant(tenant_id).filter(bank__in=banks).order_by("id"):
        aliases[row.bank_id].append(row)
    return [
        {
            **describe_profile(bank),
            "created_at": bank.created_at,
            "updated_at": bank.updated_at,
            "fact_count": written.get(bank.id, {}).get("count", 0),
            "last_write_at": written.get(bank.id, {}).get("newest"),
            "last_document_at": sent.get(bank.id),
            "display_alias": next((row.alias for row in aliases[bank.id] if row.is_primary), None),
            "matched_aliases": match_aliases(bank, aliases[bank.id], words),
        }
        for bank in banks
    ]


def match_aliases(bank: Bank, aliases: list[BankAlias], words: str) -> list[str]:
    """The aliases for which a search found the bank; none if its own id or name has the words."""
    letters = words.casefold()
    if not letters or letters in bank.bank_id.casefold() or letters in bank.name.casefold():
        return []
    return [row.alias for row in aliases if letters in row.alias.casefold()]


class HindsightBackgroundView(hindsight_view.HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> object:
        """Ignores `update_disposition`: a merge never changes the disposition."""
        body = hindsight_view.read_body(BackgroundInput, request.data)
        content, expected = body.validated_data["content"], self.expected
        merged = merge_background(self.access, bank_id, content, expected=expected)
        if merged.refused:
            raise serializers.ValidationError({"content": [merged.refused]})
        profile: dict[str, Any] = describe_profile(merged.bank)
        return {name: profile[name] for name in BACKGROUND_FIELDS}


class HindsightConfigInput(Input):
    updates = serializers.DictField()


class HindsightConfigView(hindsight_view.HindsightView):
    def get(self, _request: Request, bank_id: str) -> Response:
        with bank_transaction(self.access, bank_id) as bank:
            return render_config(bank)

    def patch(self, request: Request, bank_id: str) -> Response:
        """Creates a missing bank, as Hindsight does. Null resets a setting."""
        check_bank_id(bank_id)
        updates = hindsight_view.read_body(HindsightConfigInput, request.data).validated_data["updates"]
        change, unknown = settings.read_updates(updates)
        return render_config(create_or_change(self.access, bank_id, change, expected=self.expected), unknown)

    put = patch  # Hindsight has no PUT; the settings that it does not name stay as they are

    def delete(self, _request: Request, bank_id: str) -> Response:
        return render_config(change_bank(self.access, bank_id, settings.build_reset(), expected=self.expected))


def render_config(bank: Bank, unknown: Iterable[str] = ()) -> Response:
    fields = {
        "bank_id": bank.bank_id,
        "config": settings.describe_settings(bank),
        "overrides": settings.describe_overrides(bank),
        "ignored": settings.list_ignored(bank, unknown),
    }
    return Response(fields, headers=write_etag(read_version(bank)))


class HindsightStatsView(hindsight_view.HindsightView, StatsView):
    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        finished = super().finalize_response(request, response, *args, **kwargs)
        if finished.status_code == status.HTTP_200_OK:
            finished.data |= {name: dict.fromkeys(KNOWN, 0) | finished.data[name] for name in COUNTS_BY_TYPE}
        return finished


class HindsightTimeseriesView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(TimeseriesInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            buckets = count_by_time(bank, now=timezone.now(), **wanted)
        return describe_series(bank_id, wanted, buckets)


class HindsightTagListInput(hindsight_view.OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=[MEMORIES, MENTAL_MODELS], default=MEMORIES
    )


class HindsightTagsView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(HindsightTagListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            found = find_tags(bank, source=wanted["source"], pattern=wanted["q"])
        page = found[wanted["offset"] : wanted["offset"] + wanted["limit"]]
        return hindsight_view.describe_page(list(TagOutput(page, many=True).data), len(found), wanted)


class HindsightGraphInput(GraphInput):
    type = serializers.CharField(required=False, default="", allow_blank=True)  # type: ignore[assignment]  # any text
    limit = serializers.IntegerField(min_value=0, default=MOST_NODES)
    q = serializers.CharField(max_length=1_000, required=False, default="", allow_blank=True)

    def validate_limit(self, value: int) -> int:
        return min(value, MOST_NODES)


class HindsightGraphView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(HindsightGraphInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            graph = draw_memories(bank, build_filter(wanted), limit=wanted["limit"])
        return describe_memories(graph, limit=wanted["limit"])
