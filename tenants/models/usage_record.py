from typing import ClassVar

from django.db import models

from tenants.scoping import TenantManager, TenantOwned


class UsageRecord(TenantOwned):
    """What one request or operation spent. Append-only, written with what it paid for; holds no memory text."""

    class Kind(models.TextChoices):
        RETAIN = "retain"
        RECALL = "recall"
        REFLECT = "reflect"
        CONSOLIDATE = "consolidate"  # what follows a retain in the background

    at = models.DateTimeField(auto_now_add=True)
    kind = models.CharField(max_length=12, choices=Kind)
    bank_id = models.CharField(max_length=200, blank=True, help_text="The caller's name for the bank.")
    operation_id = models.UUIDField(null=True, help_text="The operation that spent it, where one did.")
    input_tokens = models.PositiveBigIntegerField(default=0, help_text="Sent to models.")
    output_tokens = models.PositiveBigIntegerField(default=0)
    calls = models.PositiveIntegerField(default=0)
    estimated = models.BooleanField(default=False, help_text="At least a part was counted here, not by the endpoint.")
    memories = models.PositiveIntegerField(default=0, help_text="Stored by a retain, returned by a recall.")

    objects: ClassVar[TenantManager["UsageRecord"]] = TenantManager()

    class Meta:
        constraints = (
            # An operation that is tried again is paid once.
            models.UniqueConstraint(fields=["tenant", "operation_id", "kind"], name="usage_of_operation_once"),
        )
        indexes = (models.Index(fields=["tenant", "at"], name="usage_by_time"),)  # bills and time series

    def __str__(self) -> str:
        return f"{self.kind} {self.input_tokens}+{self.output_tokens}"
