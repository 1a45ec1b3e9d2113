"""The units that a filter or an id selects, within the banks that the key reaches."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

from django.db.models import Case, DecimalField, Func, Q, QuerySet, Value, When
from django.db.models.functions import Collate, Replace, Substr

from banks.enums import Network
from banks.errors import MemoryNotFound
from banks.facts import CHOSEN
from banks.models import Bank, MemoryUnit, UnitMetadata, UnitTag
from banks.models.bank import BankQuerySet
from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.filter_conditions import Condition, FieldTest, read_uuid
from memoryplatform.api.compat.mem0.metadata import write_value
from memoryplatform.api.compat.mem0.owners import BANKS, Owner
from memoryplatform.operations.access import BankAccess
from retrieval.filters.tree import DAY, MARK, NUMBER
from retrieval.filters.types import AllOf, AnyOf, Metadata, Not
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction

# Observations summarize these networks and would repeat them.
SHOWN_NETWORKS = (Network.WORLD, Network.EXPERIENCE, Network.OPINION)
NULL = write_value(None)
NOTHING, ALL = Q(pk__in=()), ~Q(pk__in=())
BANK_OWNER_KIND = "user"  # a memory with a user_id lies in that user's bank


@dataclass(frozen=True)
class BankScope:
    """Some banks of one tenant, as a query for their primary keys."""

    tenant_id: UUID
    bank_pks: QuerySet[Bank, Any]

    def find_rows(self, model: type[UnitTag] | type[UnitMetadata]) -> TenantQuerySet[Any]:
        return model.objects.for_tenant(self.tenant_id).filter(bank_id__in=self.bank_pks)


def build_q(condition: Condition, scope: BankScope) -> Q:
    match condition:
        case AllOf(conditions):
            return reduce(and_, (build_q(one, scope) for one in conditions), ALL)
        case AnyOf(conditions):
            return reduce(or_, (build_q(one, scope) for one in conditions), NOTHING)
        case Not(inner):
            return ~build_q(inner, scope)
        case Metadata():
            rows = find_values(scope.find_rows(UnitMetadata).filter(key=condition.key), condition)
            return Q(id__in=rows.values("unit_id"))
        case FieldTest():
            return build_test(condition, scope)


def build_test(test: FieldTest, scope: BankScope) -> Q:
    match test.field:
        case "tag":
            return Q(id__in=find_named(scope.find_rows(UnitTag), "tag", test).values("unit_id"))
        case "category":  # of the caller, or of a model
            chosen = scope.find_rows(UnitMetadata).filter(value=CHOSEN)
            given = find_named(scope.find_rows(UnitTag), "tag", test)
            return Q(id__in=given.values("unit_id")) | Q(id__in=find_named(chosen, "key", test).values("unit_id"))
        case "metadata":
            rows = scope.find_rows(UnitMetadata).filter(key=test.key)
            found = rows if test.operator == "present" else rows.filter(build_lookup("value", test))
            return Q(id__in=found.values("unit_id"))
        case "text":
            return build_lookup("text", test) | build_lookup("speaker", test)
    return build_lookup(test.field, test)


def find_values(rows: TenantQuerySet[Any], test: Metadata) -> TenantQuerySet[Any]:
    """The same meaning as `retrieval.filters.tree.build_value_test`."""
    match test.operator:
        case "in":
            return rows.filter(value__in=test.values)
        case "exists":
            return rows.exclude(value=NULL)
        case "contains" | "icontains":
            return rows.filter(**{f"value__{test.operator}": test.values[0]})
    (operand,) = test.values
    if isinstance(operand, str):
        dated = rows.filter(value__regex=DAY).annotate(day=Collate("value", "C"))
        return dated.filter(**{f"day__{test.operator}": operand})
    number = Func(Replace("value", Value(MARK)), template="(%(expressions)s)::numeric", output_field=DecimalField())
    counted = rows.annotate(number=Case(When(value__regex=NUMBER, then=number)))
    return counted.filter(**{f"number__{test.operator}": Decimal(str(operand))})


def find_named(rows: TenantQuerySet[Any], column: str, test: FieldTest) -> TenantQuerySet[Any]:
    """A tag is `kind:name`, and so is the metadata of a category; `contains` matches the name only."""
    if test.operator == "in":
        return rows.filter(**{f"{column}__in": test.tags})
    of_kind = rows.filter(**{f"{column}__startswith": f"{test.key}:"})
    if test.operator == "present":
        return of_kind
    return of_kind.annotate(name=Substr(column, len(test.key) + 2)).filter(build_lookup("name", test))


def build_lookup(column: str, test: FieldTest) -> Q:
    """Precondition: the operator is not `present`."""
    if test.operator == "between":
        bounds = {f"{column}__gte": test.values[0], f"{column}__lt": test.values[1]}
        return reduce(and_, (Q(**{name: bound}) for name, bound in bounds.items() if bound is not None), ALL)
    return Q(**{f"{column}__{test.operator}": test.values if test.operator == "in" else test.values[0]})


def find_banks(access: BankAccess) -> BankQuerySet:
    """All banks of mem0's interface. Call inside a tenant transaction."""
    rows: BankQuerySet = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    return rows.filter(bank_id__startswith=BANKS)


def find_filtered_banks(access: BankAccess, condition: Condition) -> BankQuerySet:
    names = name_banks(condition)
    banks = find_banks(access)
    return banks if names is None else banks.filter(bank_id__in=names)


def name_banks(condition: Condition) -> frozenset[str] | None:
    """The ids of the banks that can match; None if the condition does not say."""
    match condition:
        case FieldTest("tag", "in", names, key) if key == BANK_OWNER_KIND:
            return frozenset(Owner(key, name).bank_id for name in names)
        case AllOf(conditions):
            known = [banks for one in conditions if (banks := name_banks(one)) is not None]
            return frozenset.intersection(*known) if known else None
        case AnyOf(conditions):
            known = [banks for one in conditions if (banks := name_banks(one)) is not None]
            return frozenset().union(*known) if len(known) == len(conditions) else None
    return None


def find_units(access: BankAccess, condition: Condition, *, closed: bool = False) -> UnitQuerySet:
    """The current units that match; with `closed` also superseded ones."""
    scope = BankScope(access.tenant_id, find_filtered_banks(access, condition).values("id"))
    units = find_units_of_banks(access.tenant_id, scope.bank_pks).filter(build_q(condition, scope))
    return units if closed else units.current()


def find_units_of_banks(tenant_id: UUID, bank_pks: QuerySet[Bank, Any]) -> UnitQuerySet:
    units: UnitQuerySet = MemoryUnit.objects.for_tenant(tenant_id)
    return units.filter(Q(bank_id__in=bank_pks, network__in=SHOWN_NETWORKS)).defer("embedding", "second_embedding")


@dataclass(frozen=True)
class Located:
    memory_id: UUID
    bank_id: str
    bank_pk: UUID


def locate(access: BankAccess, given: Any) -> Located:
    (located,) = locate_all(access, [read_uuid("memory_id", given)])
    return located


def locate_all(access: BankAccess, memory_ids: Iterable[UUID]) -> list[Located]:
    """Locates all or raises. Missing, foreign, unreachable and non-mem0 memories are indistinguishable."""
    wanted = list(dict.fromkeys(memory_ids))
    with tenant_transaction(access.tenant_id):
        units = find_units_of_banks(access.tenant_id, find_banks(access).values("id")).filter(id__in=wanted)
        found = {row[0]: Located(*row) for row in units.values_list("id", "bank__bank_id", "bank_id")}
    missing = [memory_id for memory_id in wanted if memory_id not in found]
    if missing:
        raise MemoryNotFound(missing[0])
    return [found[memory_id] for memory_id in wanted]
