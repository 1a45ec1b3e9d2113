"""A tree of conditions as a condition on memories. Tags and metadata are rows, asked for within the banks meant."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Substr

from banks.models import Bank, UnitMetadata, UnitTag
from banks.words import Network
from memoryplatform.api.compat.mem0.filters.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    HasAnyLabel,
    HasKey,
    HasLabel,
    HasValue,
    IsOneOf,
    LabelContains,
    Leaf,
    Not,
    TextContains,
    ValueBetween,
    ValueContains,
)
from memoryplatform.api.compat.mem0.metadata import write_value
from tenants.scoping import TenantQuerySet

# What was told. Observations are summaries of it, and would tell everything a second time.
TOLD = (Network.WORLD, Network.EXPERIENCE, Network.OPINION)
NULL = write_value(None)
NOTHING, ALL = Q(pk__in=()), ~Q(pk__in=())


@dataclass(frozen=True)
class Place:
    """Where is looked: banks of one tenant, as a query for their keys."""

    tenant_id: UUID
    bank_pks: QuerySet[Bank, Any]

    def tags(self) -> TenantQuerySet[UnitTag]:
        rows: TenantQuerySet[UnitTag] = UnitTag.objects.for_tenant(self.tenant_id).filter(bank_id__in=self.bank_pks)
        return rows

    def values(self) -> TenantQuerySet[UnitMetadata]:
        rows: TenantQuerySet[UnitMetadata]
        rows = UnitMetadata.objects.for_tenant(self.tenant_id).filter(bank_id__in=self.bank_pks)
        return rows


def build_q(condition: Condition, place: Place) -> Q:
    match condition:
        case AllOf(conditions):
            built = ALL
            for one in conditions:
                built &= build_q(one, place)
            return built
        case AnyOf(conditions):
            built = NOTHING
            for one in conditions:
                built |= build_q(one, place)
            return built
        case Not(inner):
            return ~build_q(inner, place)
    return build_leaf(condition, place)


def build_leaf(leaf: Leaf, place: Place) -> Q:
    match leaf:
        case HasLabel() | HasAnyLabel() | LabelContains():
            return Q(id__in=find_labelled(leaf, place))
        case Between(column, start, end):
            return within(column, start, end)
        case TextContains(text, ignores_case):
            return Q(text__icontains=text) if ignores_case else Q(text__contains=text)
        case IsOneOf(ids):
            return Q(id__in=ids)
    return Q(id__in=find_by_value(leaf, place).values("unit_id"))


def find_labelled(leaf: HasLabel | HasAnyLabel | LabelContains, place: Place) -> QuerySet[UnitTag, Any]:
    """In a tag the kind stands before the name, and is not looked into."""
    if isinstance(leaf, HasLabel):
        return place.tags().filter(tag__in=leaf.tags).values("unit_id")
    rows = place.tags().filter(tag__startswith=f"{leaf.kind}:")
    if isinstance(leaf, HasAnyLabel):
        return rows.values("unit_id")
    named = rows.annotate(name=Substr("tag", len(leaf.kind) + 2))
    found = named.filter(name__icontains=leaf.text) if leaf.ignores_case else named.filter(name__contains=leaf.text)
    return found.values("unit_id")


def find_by_value(leaf: HasValue | HasKey | ValueContains | ValueBetween, place: Place) -> TenantQuerySet[UnitMetadata]:
    rows: TenantQuerySet[UnitMetadata] = place.values().filter(key=leaf.key)
    match leaf:
        case HasValue(_, values):
            return rows.filter(value__in=values)
        case ValueContains(_, text, ignores_case):
            return rows.filter(value__icontains=text) if ignores_case else rows.filter(value__contains=text)
        case ValueBetween(_, start, end):
            return rows.filter(within("value", start, end))
    return rows.exclude(value=NULL)


def within(column: str, start: object | None, end: object | None) -> Q:
    asked = ALL
    if start is not None:
        asked &= Q(**{f"{column}__gte": start})
    if end is not None:
        asked &= Q(**{f"{column}__lt": end})
    return asked
