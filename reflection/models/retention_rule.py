from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from banks.words import Network
from tenants.scoping import TenantOwned


class RetentionRuleQuerySet(OfBankQuerySet["RetentionRule"]):
    pass


RetentionRuleManager = models.Manager.from_queryset(RetentionRuleQuerySet)


class RetentionRule(TenantOwned):
    """How long memories of a kind are kept as they are, and what becomes of them then."""

    class Action(models.TextChoices):
        FADE = "fade"  # falls behind in the ranking until somebody recalls it
        DELETE = "delete"

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    name = models.CharField(max_length=100)
    network = models.CharField(max_length=12, blank=True, choices=Network, help_text="Empty: every one.")
    tag = models.CharField(max_length=200, blank=True, help_text="Empty: with or without tags.")
    days = models.PositiveIntegerField(help_text="Since it was last said.")
    action = models.CharField(max_length=6, choices=Action, default=Action.FADE)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True)

    objects: ClassVar[RetentionRuleManager["RetentionRule"]] = RetentionRuleManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "name"], name="retention_rule_once"),
            models.CheckConstraint(condition=Q(action__in=["fade", "delete"]), name="retention_action_known"),
            models.CheckConstraint(
                condition=Q(network__in=["", "world", "experience", "opinion", "observation"]),
                name="retention_network_known",
            ),
            # A slip must not empty a bank: what deletes says what it means.
            models.CheckConstraint(
                condition=Q(action="fade") | ~Q(network="") | ~Q(tag=""), name="retention_deletes_what_it_names"
            ),
            models.CheckConstraint(condition=Q(days__gte=1), name="retention_at_least_a_day"),
        )

    def __str__(self) -> str:
        return self.name
