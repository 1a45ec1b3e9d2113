from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank, Entity
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class ObservedEntityQuerySet(OfBankQuerySet["ObservedEntity"]):
    def stale(self) -> Self:
        return self.filter(stale_since__isnull=False)


ObservedEntityManager = models.Manager.from_queryset(ObservedEntityQuerySet)


class ObservedEntity(TenantOwned):
    """Whether the facts of an entity changed since they were observed. Which of them, the scopes tell."""

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
            models.Index(  # what a refresh takes next
                fields=["bank", "due_at"], condition=Q(stale_since__isnull=False), name="observed_entity_due"
            ),
        )

    def __str__(self) -> str:
        return str(self.entity_id)
