from typing import ClassVar

from django.db import models

from banks.models.bank import Bank
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantOwned


class BankAlias(TenantOwned):
    """Another id that a bank answers to in Hindsight's interface. The bank keeps its own."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    alias = models.CharField(max_length=200)
    is_primary = models.BooleanField(default=False, help_text="Shown in place of the bank's id.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OfBankManager["BankAlias"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "alias"], name="bank_alias_once"),
            models.UniqueConstraint(
                fields=["bank"], condition=models.Q(is_primary=True), name="bank_alias_one_is_primary"
            ),
        )
        indexes = (models.Index(fields=["bank", "id"], name="bank_aliases_of_bank"),)

    def __str__(self) -> str:
        return self.alias
