from typing import ClassVar

from django.db import models

from tenants.models.accounts import User
from tenants.scoping import TenantManager, TenantOwned


class AuditEvent(TenantOwned):
    """An entry of the audit log: actor, action, target, time. Append-only; holds names and ids, never memory text."""

    at = models.DateTimeField(auto_now_add=True)
    action = models.CharField(max_length=60, help_text="Such as bank.deleted or api_key.revoked.")
    target = models.CharField(max_length=300, help_text="What it was done to, such as bank:support.")
    api_key_prefix = models.CharField(max_length=16, blank=True)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    request_id = models.CharField(max_length=64, blank=True)
    address = models.GenericIPAddressField(null=True, help_text="Of the client; null for the service itself.")
    detail = models.JSONField(default=dict)

    objects: ClassVar[TenantManager["AuditEvent"]] = TenantManager()

    class Meta:
        indexes = (models.Index(fields=["tenant", "-id"], name="audit_newest_first"),)  # the admin and the audit log

    def __str__(self) -> str:
        return f"{self.action} {self.target}"


class UsageRecord(TenantOwned):
    """The usage of one request or operation. Append-only, written in its transaction; holds no memory text."""

    class Kind(models.TextChoices):
        RETAIN = "retain"
        RECALL = "recall"
        REFLECT = "reflect"
        CONSOLIDATE = "consolidate"  # the background work after a retain
        EDIT = "edit"  # of a memory or an opinion, by a person

    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=12, choices=Kind)
    bank_id = models.CharField(max_length=200, blank=True, help_text="The caller's name for the bank.")
    api_key_prefix = models.CharField(max_length=16, blank=True, default="", db_default="")
    operation_id = models.UUIDField(null=True, help_text="The operation that spent it, where one did.")
    attempt = models.BigIntegerField(default=0, db_default=0, help_text="The fencing token of the attempt.")
    input_tokens = models.PositiveBigIntegerField(default=0, help_text="Sent to models.")
    output_tokens = models.PositiveBigIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    estimated = models.BooleanField(default=False, help_text="At least a part was counted here, not by the endpoint.")
    by_model = models.JSONField(
        default=list, db_default=models.Value([], models.JSONField()), help_text="The tokens and calls of each model."
    )
    memories = models.PositiveIntegerField(default=0, help_text="Stored by a retain, returned by a recall.")
    stored_bytes = models.PositiveBigIntegerField(default=0, db_default=0, help_text="Text that a retain archived.")

    objects: ClassVar[TenantManager["UsageRecord"]] = TenantManager()

    class Meta:
        constraints = (
            # An attempt of an operation is billed once.
            models.UniqueConstraint(fields=["tenant", "operation_id", "kind", "attempt"], name="usage_of_attempt_once"),
        )
        indexes = (models.Index(fields=["tenant", "at"], name="usage_by_time"),)  # bills and time series

    def __str__(self) -> str:
        return f"{self.kind} {self.input_tokens}+{self.output_tokens}"


class UsageDay(TenantOwned):
    """The sums of the usage ledger over one day (UTC). `sum_usage_days` writes them, and can write them again.

    Requests, memories and bytes are in the row without a service; tokens and calls are in the row of their model.
    """

    day = models.DateField()
    bank_id = models.CharField(max_length=200, blank=True)
    api_key_prefix = models.CharField(max_length=16, blank=True)
    kind = models.CharField(max_length=12, choices=UsageRecord.Kind)
    service = models.CharField(
        max_length=12, blank=True, help_text="llm, own_llm (the tenant's own), embedding or reranking."
    )
    model = models.CharField(max_length=200, blank=True)
    requests = models.PositiveBigIntegerField(default=0)
    calls = models.PositiveBigIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    memories = models.PositiveBigIntegerField(default=0)
    stored_bytes = models.PositiveBigIntegerField(default=0)

    objects: ClassVar[TenantManager["UsageDay"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "day", "bank_id", "api_key_prefix", "kind", "service", "model"],
                name="usage_day_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.model}"
