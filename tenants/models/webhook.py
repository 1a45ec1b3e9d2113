from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tenants.scoping import TenantManager, TenantOwned, TenantQuerySet
from tenants.sealed_text import SealedTextField


class WebhookQuerySet(TenantQuerySet["Webhook"]):
    def within(self, bank_ids: frozenset[str] | None) -> Self:
        """The webhooks of these banks, for a key that is limited to some."""
        return self if bank_ids is None else self.filter(bank_id__in=bank_ids)


WebhookManager = models.Manager.from_queryset(WebhookQuerySet)


class Webhook(TenantOwned):
    """An address that receives events."""

    name = models.CharField(max_length=200, blank=True)
    url = models.CharField(max_length=2_000)
    events = ArrayField(models.CharField(max_length=60))
    bank_id = models.CharField(
        max_length=200, blank=True, help_text="The caller's id of the bank whose events are sent; empty: every bank."
    )
    secret = SealedTextField(help_text="Signs the messages, so a digest would not do.")
    shape = models.CharField(
        max_length=20, default="platform", help_text="The form of the messages: ours or another product's."
    )
    options = models.JSONField(default=dict, help_text="Options of the shape.")
    enabled = models.BooleanField(default=True)
    failing_since = models.DateTimeField(
        null=True, help_text="The first failed attempt after the newest success; null: the newest attempt succeeded."
    )
    disabled_at = models.DateTimeField(
        null=True, help_text="When the service disabled it, because every attempt failed for days."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[WebhookManager["Webhook"]] = WebhookManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(disabled_at=None) | models.Q(enabled=False), name="webhook_disabled_is_not_enabled"
            ),
        )
        indexes = (models.Index(fields=["tenant", "-id"], name="webhooks_of_tenant"),)  # lists and events

    def __str__(self) -> str:
        return self.name or self.url


class Delivery(TenantOwned):
    """One event for one address. Written in the transaction of the change; holds ids, no memory text."""

    class Status(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    webhook = models.ForeignKey(
        Webhook, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    event_id = models.UUIDField(help_text="The same for every address.")
    event = models.CharField(max_length=60)
    bank_id = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    told = models.PositiveIntegerField(default=0, help_text="The number of its messages that have arrived.")
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
