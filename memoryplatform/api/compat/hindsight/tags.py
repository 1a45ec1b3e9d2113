"""`/tags`: the tags of a bank's current memories, and how many have each."""

from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, UnitTag
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.fact_types import KNOWN
from memoryplatform.api.compat.hindsight.pages import OffsetInput, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.operations.bank_profile import get_bank
from tenants.transactions import tenant_transaction


class TagListInput(OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=["memories", "mental_models"], default="memories"
    )

    def validate_source(self, value: str) -> str:
        if value != "memories":
            raise NotOffered("This service has no mental models yet.")
        return value


class PeerTagsView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(TagListInput, request)
        with tenant_transaction(self.tenant_id):
            counts = count_tags(get_bank(self.access, bank_id), pattern=wanted["q"])
        items = [{"tag": tag, "count": count} for tag, count in counts]
        start = wanted["offset"]
        return Response(describe_page(items[start : start + wanted["limit"]], len(items), wanted))


def count_tags(bank: Bank, *, pattern: str) -> list[tuple[str, int]]:
    """The most used first. In a pattern `*` stands for anything. Call inside a tenant transaction."""
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, unit__expired_at=None, unit__network__in=KNOWN
    )
    counted = rows.order_by().values_list("tag").annotate(count=Count("*")).order_by("-count", "tag")
    return [(tag, count) for tag, count in counted if not pattern or matches(tag.casefold(), pattern.casefold())]


def matches(text: str, pattern: str) -> bool:
    """From left to right, each part where it first stands: a regular expression of many stars could take for ever."""
    first, *middle = pattern.split("*")
    if not middle:
        return text == pattern
    last = middle.pop()
    if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
        return False
    rest = text[len(first) : len(text) - len(last)]
    for part in filter(None, middle):
        _, found, rest = rest.partition(part)
        if not found:
            return False
    return True
