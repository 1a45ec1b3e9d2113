from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank, Entity
from banks.models.of_bank import OfBankManager, OfBankQuerySet
from tenants.scoping import TenantOwned


class ObservedEntityQuerySet(OfBankQuerySet["ObservedEntity"]):
    def stale(self) -> Self:
        return self.filter(stale_since__isnull=False)


ObservedEntityManager = models.Manager.from_queryset(ObservedEntityQuerySet)


class ObservedEntity(TenantOwned):
    """Whether the facts of an entity changed since the last refresh. `ObservedScope` says under which tags."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    entity = models.ForeignKey(
        Entity, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    stale_since = models.DateTimeField(null=True, help_text="The first change that no refresh has seen.")
    due_at = models.DateTimeField(null=True, help_text="When the next refresh may take it: changes in between join it.")
    changes = models.PositiveIntegerField(default=0, help_text="Facts that came or went since the last refresh.")
    refreshed_at = models.DateTimeField(null=True)
    altered_at = models.DateTimeField(
        null=True, help_text="When a fact was last edited, closed or deleted, where no refresh has seen that yet."
    )
    refused_since = models.DateTimeField(
        null=True, help_text="Since when no observer could make anything of what is left of it to observe."
    )

    objects: ClassVar[ObservedEntityManager["ObservedEntity"]] = ObservedEntityManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["entity"], name="observed_entity_once"),
            models.CheckConstraint(
                condition=Q(stale_since=None, due_at=None) | Q(stale_since__isnull=False, due_at__isnull=False),
                name="observed_entity_due_while_stale",
            ),
        )
        indexes = (
            models.Index(  # a refresh takes the next one by it
                fields=["bank", "due_at"], condition=Q(stale_since__isnull=False), name="observed_entity_due"
            ),
        )

    def __str__(self) -> str:
        return str(self.entity_id)


class ObservedScope(TenantOwned):
    """How far the observations of an entity under one set of tags cover the facts under these tags."""

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
        indexes = (models.Index(fields=["bank", "id"], name="observed_scopes_of_bank"),)  # an export reads by it

    def __str__(self) -> str:
        return f"{self.entity_id} {bytes(self.tags_hash).hex()}"
