from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tenants.scoping import TenantManager, TenantOwned, TenantQuerySet
from tenants.sealed_text import SealedTextField


class WebhookQuerySet(TenantQuerySet["Webhook"]):
    def within(self, bank_ids: frozenset[str] | None) -> Self:
        """Only those of these banks, where a key is limited to some."""
        return self if bank_ids is None else self.filter(bank_id__in=bank_ids)


WebhookManager = models.Manager.from_queryset(WebhookQuerySet)


class Webhook(TenantOwned):
    """An address that is told what happens, by the names of the events."""

    name = models.CharField(max_length=200, blank=True)
    url = models.CharField(max_length=2_000)
    events = ArrayField(models.CharField(max_length=60))
    bank_id = models.CharField(
        max_length=200, blank=True, help_text="The caller's name for the bank whose events are told; empty: every bank."
    )
    secret = SealedTextField(help_text="Signs what is sent, so it can't be kept as a digest.")
    shape = models.CharField(
        max_length=20, default="platform", help_text="In whose words it is told: ours or another product's."
    )
    options = models.JSONField(default=dict, help_text="What a shape wants to know besides.")
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[WebhookManager["Webhook"]] = WebhookManager()

    class Meta:
        indexes = (models.Index(fields=["tenant", "-id"], name="webhooks_of_tenant"),)  # lists; who is told

    def __str__(self) -> str:
        return self.name or self.url


class Delivery(TenantOwned):
    """One event on its way to one address. Written in the transaction of what it tells; holds ids, no memory text."""

    class Status(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    event_id = models.UUIDField(help_text="The same for every address that is told.")
    event = models.CharField(max_length=60)
    bank_id = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    told = models.PositiveIntegerField(default=0, help_text="How many of its messages have arrived.")
    answer_code = models.PositiveSmallIntegerField(null=True, help_text="Of the newest attempt.")
    error = models.CharField(max_length=300, blank=True, help_text="Why the newest attempt failed.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    attempted_at = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(null=True)

    objects: ClassVar[TenantManager["Delivery"]] = TenantManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(status__in=["pending", "delivered", "failed"]), name="delivery_status_known"
            ),
        )
        indexes = (
            models.Index(fields=["webhook", "-id"], name="deliveries_of_webhook"),  # the list route
            models.Index(fields=["tenant", "created_at"], name="deliveries_by_age"),  # expiry
        )

    def __str__(self) -> str:
        return f"{self.event} {self.status}"
