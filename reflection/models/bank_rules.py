"""Settings of a bank that reflection follows: directives, retention rules, and the revisions of its background."""

from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from banks.enums import Network
from banks.models import Bank
from banks.models.of_bank import OfBankManager, OfBankQuerySet
from tenants.scoping import TenantOwned


class BackgroundRevision(TenantOwned):
    """One change of a background: the text before and after, and its cause."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    number = models.PositiveIntegerField(help_text="From 1, without gaps.")
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    snippet = models.TextField(blank=True, help_text="What was merged in, as it was given; empty where it was set.")
    engine = models.CharField(max_length=200, blank=True, help_text="What merged it; empty where it was set.")
    actor = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OfBankManager["BackgroundRevision"]] = OfBankManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "number"], name="background_revision_once"),)

    def __str__(self) -> str:
        return f"{self.bank_id} {self.number}"


class DirectiveQuerySet(OfBankQuerySet["Directive"]):
    def active(self) -> Self:
        return self.filter(is_active=True)

    def by_priority(self) -> Self:
        """The highest priority first, then the oldest."""
        return self.order_by("-priority", "id")


DirectiveManager = models.Manager.from_queryset(DirectiveQuerySet)


class Directive(TenantOwned):
    """A rule that the answers of a bank must follow. Recall never returns it, and no memory outweighs it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    name = models.CharField(max_length=200)
    content = models.TextField()
    priority = models.SmallIntegerField(default=0, help_text="The higher one is told first.")
    is_active = models.BooleanField(default=True)
    tags = ArrayField(
        models.CharField(max_length=200),
        default=list,
        help_text="Empty: for every answer. Else for questions with fitting tags.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[DirectiveManager["Directive"]] = DirectiveManager()

    class Meta:
        indexes = (models.Index(fields=["bank", "id"], name="directives_of_bank"),)  # every answer reads by it

    def __str__(self) -> str:
        return self.name


class RetentionRule(TenantOwned):
    """After how many days memories of a network or tag fade or are deleted."""

    class Action(models.TextChoices):
        FADE = "fade"  # ranks lower until a recall returns it
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

    objects: ClassVar[OfBankManager["RetentionRule"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "name"], name="retention_rule_once"),
            models.CheckConstraint(condition=Q(action__in=["fade", "delete"]), name="retention_action_known"),
            models.CheckConstraint(
                condition=Q(network__in=["", "world", "experience", "opinion", "observation"]),
                name="retention_network_known",
            ),
            # A slip must not empty a bank: a deleting rule names a network or a tag.
            models.CheckConstraint(
                condition=Q(action="fade") | ~Q(network="") | ~Q(tag=""), name="retention_deletes_what_it_names"
            ),
            models.CheckConstraint(condition=Q(days__gte=1), name="retention_at_least_a_day"),
        )

    def __str__(self) -> str:
        return self.name
