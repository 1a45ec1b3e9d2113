"""`/tags`: the tags of a bank's current memories, or of its mental models, and how many have each."""

from collections import Counter

from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank, UnitTag
from memoryplatform.api.compat.hindsight.fact_types import KNOWN
from memoryplatform.api.compat.hindsight.pages import OffsetInput, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.operations.bank_profile import get_bank
from reflection.models import MentalModel
from tenants.transactions import tenant_transaction


class TagListInput(OffsetInput):
    q = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    source = serializers.ChoiceField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        choices=["memories", "mental_models"], default="memories"
    )


class PeerTagsView(PeerView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(TagListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            counts = count_tags(bank) if wanted["source"] == "memories" else count_model_tags(bank)
        counts = [one for one in counts if not wanted["q"] or matches(one[0].casefold(), wanted["q"].casefold())]
        items = [{"tag": tag, "count": count} for tag, count in counts]
        start = wanted["offset"]
        return Response(describe_page(items[start : start + wanted["limit"]], len(items), wanted))


def count_tags(bank: Bank) -> list[tuple[str, int]]:
    """The most used first. Call inside a tenant transaction."""
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, unit__expired_at=None, unit__network__in=KNOWN
    )
    counted = rows.order_by().values_list("tag").annotate(count=Count("*")).order_by("-count", "tag")
    return list(counted)


def count_model_tags(bank: Bank) -> list[tuple[str, int]]:
    counted = Counter(tag for model in MentalModel.objects.of_bank(bank).only("tags") for tag in model.tags)
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))


def matches(text: str, pattern: str) -> bool:
    """In a pattern `*` stands for anything.

    From left to right, each part where it first stands: a regular expression of many stars could take for ever.
    """
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
