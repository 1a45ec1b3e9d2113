from typing import ClassVar

from django.db import models

from banks.models.bank import Bank
from banks.models.of_bank import OfBankManager
from banks.models.spoken import Spoken
from tenants.scoping import TenantOwned


class Document(Spoken, TenantOwned):
    """A source with an id of the caller's own: sent again, it replaces what it was."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    document_id = models.CharField(max_length=500)
    text = models.TextField()
    content_hash = models.BinaryField(max_length=32)
    context = models.TextField(blank=True)
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    pieces = models.JSONField(default=list, help_text="Where each appended part begins, with its own date.")
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[OfBankManager["Document"]] = OfBankManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "document_id"], name="document_id_unique"),)

    def __str__(self) -> str:
        return self.document_id
