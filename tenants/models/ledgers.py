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

    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=12, choices=Kind)
    bank_id = models.CharField(max_length=200, blank=True, help_text="The caller's name for the bank.")
    operation_id = models.UUIDField(null=True, help_text="The operation that spent it, where one did.")
    input_tokens = models.PositiveBigIntegerField(default=0, help_text="Sent to models.")
    output_tokens = models.PositiveBigIntegerField(default=0)
    own_input_tokens = models.PositiveBigIntegerField(default=0, db_default=0, help_text="To the tenant's own LLM.")
    own_output_tokens = models.PositiveBigIntegerField(default=0, db_default=0)
    calls = models.PositiveIntegerField(default=0)
    estimated = models.BooleanField(default=False, help_text="At least a part was counted here, not by the endpoint.")
    memories = models.PositiveIntegerField(default=0, help_text="Stored by a retain, returned by a recall.")

    objects: ClassVar[TenantManager["UsageRecord"]] = TenantManager()

    class Meta:
        constraints = (
            # A repeated operation is billed once.
            models.UniqueConstraint(fields=["tenant", "operation_id", "kind"], name="usage_of_operation_once"),
        )
        indexes = (models.Index(fields=["tenant", "at"], name="usage_by_time"),)  # bills and time series

    def __str__(self) -> str:
        return f"{self.kind} {self.input_tokens}+{self.output_tokens}"
