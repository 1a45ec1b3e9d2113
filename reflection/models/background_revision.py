from typing import ClassVar

from django.db import models

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class BackgroundRevisionQuerySet(OfBankQuerySet["BackgroundRevision"]):
    pass


BackgroundRevisionManager = models.Manager.from_queryset(BackgroundRevisionQuerySet)


class BackgroundRevision(TenantOwned):
    """One change of who the agent is: the text before and after, and what brought it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    number = models.PositiveIntegerField(help_text="From 1, without gaps.")
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    snippet = models.TextField(blank=True, help_text="What was merged in, as it was given; empty where it was set.")
    engine = models.CharField(max_length=200, blank=True, help_text="What merged it; empty where it was set.")
    actor = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[BackgroundRevisionManager["BackgroundRevision"]] = BackgroundRevisionManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "number"], name="background_revision_once"),)

    def __str__(self) -> str:
        return f"{self.bank_id} {self.number}"
