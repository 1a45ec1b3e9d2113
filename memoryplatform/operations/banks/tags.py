"""The tags of a bank's current memories, or of its mental models, and how many have each."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from banks.models import Bank, UnitTag
from memoryplatform.operations.banks.known_networks import KNOWN
from reflection.models import MentalModel

MEMORIES, MENTAL_MODELS = "memories", "mental_models"


@dataclass(frozen=True)
class TagCount:
    tag: str
    count: int


def find_tags(bank: Bank, *, source: str, pattern: str) -> list[TagCount]:
    """The most used first; in a pattern `*` stands for anything. Call inside a tenant transaction."""
    found = count_tags(bank) if source == MEMORIES else count_model_tags(bank)
    return [one for one in found if not pattern or matches(one.tag.casefold(), pattern.casefold())]


def count_tags(bank: Bank) -> list[TagCount]:
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, unit__expired_at=None, unit__network__in=KNOWN
    )
    counted = rows.order_by().values_list("tag").annotate(count=Count("*")).order_by("-count", "tag")
    return [TagCount(tag, count) for tag, count in counted]


def count_model_tags(bank: Bank) -> list[TagCount]:
    counted = Counter(tag for model in MentalModel.objects.of_bank(bank).only("tags") for tag in model.tags)
    return [TagCount(tag, count) for tag, count in sorted(counted.items(), key=lambda one: (-one[1], one[0]))]


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
