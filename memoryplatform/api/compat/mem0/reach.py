"""Which banks a filter can touch, within those that the key reaches."""

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from banks.models import Bank, MemoryUnit
from banks.models.bank import BankQuerySet
from banks.models.unit import UnitQuerySet
from memoryplatform.api.compat.mem0.filters.conditions import AllOf, AnyOf, Condition, HasLabel
from memoryplatform.api.compat.mem0.filters.units import TOLD, Place, build_q
from memoryplatform.api.compat.mem0.owners import BANKS, Owner
from memoryplatform.operations.access import BankAccess

FIRST = "user"  # a memory of a user lies in the user's bank, whatever other ids it has


def find_banks(access: BankAccess) -> BankQuerySet:
    """All of mem0's. Call inside a tenant transaction."""
    rows: BankQuerySet = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    return rows.filter(bank_id__startswith=BANKS)


def find_meant_banks(access: BankAccess, condition: Condition) -> BankQuerySet:
    names = name_banks(condition)
    banks = find_banks(access)
    return banks if names is None else banks.filter(bank_id__in=names)


def name_banks(condition: Condition) -> frozenset[str] | None:
    """None: it can't be told before looking."""
    match condition:
        case HasLabel(kind, names) if kind == FIRST:
            return frozenset(Owner(kind, name).bank_id for name in names)
        case AllOf(conditions):
            known = [banks for one in conditions if (banks := name_banks(one)) is not None]
            return frozenset.intersection(*known) if known else None
        case AnyOf(conditions):
            known = [banks for one in conditions if (banks := name_banks(one)) is not None]
            return frozenset().union(*known) if len(known) == len(conditions) else None
    return None


def find_told(access: BankAccess, condition: Condition, *, closed: bool = False) -> UnitQuerySet:
    """The memories that a filter means, with `closed` also those that no longer hold."""
    place = Place(access.tenant_id, find_meant_banks(access, condition).values("id"))
    units = of_banks(access.tenant_id, place.bank_pks).filter(build_q(condition, place))
    return units if closed else units.current()


def of_banks(tenant_id: UUID, bank_pks: QuerySet[Bank, Any]) -> UnitQuerySet:
    units: UnitQuerySet = MemoryUnit.objects.for_tenant(tenant_id)
    return units.filter(Q(bank_id__in=bank_pks, network__in=TOLD)).defer("embedding")
