"""Query sets of tables whose rows belong to a bank."""

from typing import Self

from django.db import models

from banks.models.bank import Bank
from tenants.scoping import M, TenantQuerySet


class OfBankQuerySet(TenantQuerySet[M]):
    def of_bank(self, bank: Bank) -> Self:
        return self.for_tenant(bank.tenant_id).filter(bank=bank)


OfBankManager = models.Manager.from_queryset(OfBankQuerySet)
