from typing import ClassVar

from django.db import models

from banks.models.bank import Bank
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantOwned
from tenants.sealed_text import SealedTextField


class QuarantinedItem(TenantOwned):
    """An item of a retain that waits for a review. Nothing of it is archived, extracted or found."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    item = SealedTextField(help_text="The item as JSON, sealed at rest.")
    findings = models.JSONField(help_text="Field, family, kind, start and end of each finding; no text.")
    api_key_prefix = models.CharField(max_length=16, blank=True, help_text="Of the key that sent it.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OfBankManager["QuarantinedItem"]] = OfBankManager()

    class Meta:
        indexes = (models.Index(fields=["bank", "-id"], name="quarantine_newest"),)

    def __str__(self) -> str:
        return f"{self.bank_id} {self.created_at:%Y-%m-%d %H:%M}"
