"""`/banks`: creating, changing, listing and deleting."""

from typing import Any

from django.db.models import Count, Max, Q
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import BankNotFound
from banks.models import Bank, Document, MemoryUnit
from memoryplatform.api.compat.hindsight.bank_shapes import HindsightBankInput, describe_profile
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.errors import readable
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.known_networks import KNOWN
from memoryplatform.operations.banks.profile import BankChange, change_bank, delete_bank_for_good, get_bank
from memoryplatform.operations.retain import find_or_create_bank
from tenants.transactions import tenant_transaction


class HindsightBanksInput(OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)


class HindsightBanksView(HindsightView):
    def get(self, request: Request) -> Response:
        wanted = read_query(HindsightBanksInput, request)
        with tenant_transaction(self.tenant_id):
            banks = Bank.objects.for_tenant(self.tenant_id).live().within(self.identity.banks)
            if wanted["q"]:
                banks = banks.filter(Q(bank_id__icontains=wanted["q"]) | Q(name__icontains=wanted["q"]))
            items = describe_banks(cut_page(banks.order_by("-updated_at", "-id"), wanted))
            page = {"total": banks.count(), "limit": wanted["limit"], "offset": wanted["offset"]}
            return Response({"banks": items, **page})


class HindsightBankView(HindsightView):
    def put(self, request: Request, bank_id: str) -> Response:
        """Made where it is not there, changed where it is."""
        check_bank_id(bank_id)
        body = read_body(HindsightBankInput, request.data)
        bank = create_or_change(self.access, bank_id, body.change(), expected=read_expected(request))
        return Response(describe_profile(bank) | {"ignored": list_ignored(request.data, HindsightBankInput)})

    def patch(self, request: Request, bank_id: str) -> Response:
        body = read_body(HindsightBankInput, request.data)
        bank = change_bank(self.access, bank_id, body.change(), expected=read_expected(request))
        return Response(describe_profile(bank) | {"ignored": list_ignored(request.data, HindsightBankInput)})

    def delete(self, request: Request, bank_id: str) -> Response:
        """A bank that is not there is deleted already. The rows go in the background."""
        try:
            count = count_memories(self.access, bank_id)
            operation = delete_bank_for_good(self.access, bank_id, expected=read_expected(request))
        except BankNotFound:
            message = f"There is no bank '{bank_id}'."
            return Response({"success": True, "message": message, "deleted_count": 0})
        message = f"Bank '{bank_id}' is deleted."
        answer = {"success": True, "message": message, "deleted_count": count, "operation_id": operation.id}
        return Response(answer)


class HindsightProfileView(HindsightView):
    """Hindsight gave up this address; its client still has a method for it."""

    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            return Response(describe_profile(get_bank(self.access, bank_id)))

    def put(self, request: Request, bank_id: str) -> Response:
        body = read_body(HindsightBankInput, request.data)
        bank = change_bank(self.access, bank_id, body.change(), expected=read_expected(request))
        return Response(describe_profile(bank))


def create_or_change(
    access: BankAccess, bank_id: str, change: BankChange, *, expected: frozenset[str] | None = None
) -> Bank:
    """Who expects one of some versions has seen the bank: it is not made for him."""
    if expected is not None:
        return change_bank(access, bank_id, change, expected=expected)
    bank = find_or_create_bank(access, bank_id)
    return change_bank(access, bank_id, change) if change.given() else bank


def list_ignored(given: Any, shape: type[Input]) -> list[str]:
    """Settings of Hindsight's, or misspelt ones, that nothing here follows: passed over, but told."""
    known = shape().fields
    return sorted(readable(name) for name, value in given.items() if name not in known and value is not None)


def count_memories(access: BankAccess, bank_id: str) -> int:
    with tenant_transaction(access.tenant_id):
        return MemoryUnit.objects.of_bank(get_bank(access, bank_id)).count()


def describe_banks(banks: list[Bank]) -> list[dict[str, Any]]:
    """Two queries for all of them. Call inside a tenant transaction."""
    if not banks:
        return []
    tenant_id = banks[0].tenant_id
    units = MemoryUnit.objects.for_tenant(tenant_id).filter(bank__in=banks, expired_at=None, network__in=KNOWN)
    rows = units.order_by().values("bank_id").annotate(count=Count("*"), newest=Max("recorded_at"))
    written: dict[Any, dict[str, Any]] = {row["bank_id"]: dict(row) for row in rows}
    documents = Document.objects.for_tenant(tenant_id).filter(bank__in=banks).order_by().values_list("bank_id")
    sent = dict(documents.annotate(newest=Max("updated_at")))
    return [
        {
            **describe_profile(bank),
            "created_at": bank.created_at,
            "updated_at": bank.updated_at,
            "fact_count": written.get(bank.id, {}).get("count", 0),
            "last_write_at": written.get(bank.id, {}).get("newest"),
            "last_document_at": sent.get(bank.id),
        }
        for bank in banks
    ]
