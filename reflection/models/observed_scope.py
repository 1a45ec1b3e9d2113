from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models import Bank, Entity
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantOwned


class ObservedScope(TenantOwned):
    """How far the observations of an entity under one set of tags have kept up with the facts under these tags."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    entity = models.ForeignKey(
        Entity, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    tags_hash = models.BinaryField(max_length=16, db_default=b"", help_text="Of the tags; empty where there are none.")
    told = models.CharField(
        max_length=50,
        blank=True,
        help_text="What the moments at which its facts last changed added up to, when they were observed.",
    )
    seen_until = models.DateTimeField(null=True, help_text="Facts recorded up to here are in the observations.")
    facts = models.PositiveIntegerField(default=0, help_text="How many the last refresh saw.")
    altered_at = models.DateTimeField(null=True, help_text="The alteration of its entity that it was last asked after.")
    refused_since = models.DateTimeField(null=True, help_text="Since when no observer could make anything of it.")
    due_at = models.DateTimeField(null=True, help_text="When it is asked again after a refusal.")

    objects: ClassVar[OfBankManager["ObservedScope"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["entity", "tags_hash"], name="observed_scope_once"),
            models.CheckConstraint(
                condition=Q(refused_since=None, due_at=None) | Q(refused_since__isnull=False, due_at__isnull=False),
                name="observed_scope_due_while_refused",
            ),
        )
        indexes = (models.Index(fields=["bank", "id"], name="observed_scopes_of_bank"),)  # exports

    def __str__(self) -> str:
        return f"{self.entity_id} {bytes(self.tags_hash).hex()}"
