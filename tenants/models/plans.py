"""Plans and their limits, the plan of a tenant, and the counts that quotas are compared with."""

from typing import ClassVar

from django.db import models

from tenants.identifiers import uuid7
from tenants.scoping import TenantManager, TenantOwned

LARGEST_LIMIT = 10**15
LARGEST_RATE = 1_000_000  # requests a minute


class Quota(models.TextChoices):
    """The limits of amounts, by the names of their columns."""

    MEMORIES = "memories"
    BANKS = "banks"
    STORED_BYTES = "stored_bytes"
    LLM_TOKENS = "llm_tokens_per_month"
    MEMBERS = "members"


def limit_field(help_text: str) -> "models.BigIntegerField[int | None, int | None]":
    return models.BigIntegerField(null=True, blank=True, help_text=help_text)


class Limits(models.Model):
    requests_per_minute = models.IntegerField(null=True, blank=True, help_text="Of all keys of the tenant together.")
    memories = limit_field("Facts, opinions and observations, current or closed.")
    banks = limit_field("Banks that are not deleted.")
    stored_bytes = limit_field("Text of messages, documents and memories, in UTF-8.")
    llm_tokens_per_month = limit_field("Read and written by language models in a calendar month (UTC).")
    members = limit_field("People in the tenant, with open invitations.")

    class Meta:
        abstract = True


def check_limits(table: str) -> tuple[models.CheckConstraint, ...]:
    """The ranges of all limits, as constraints of one table."""
    ranges = {"requests_per_minute": (1, LARGEST_RATE), **dict.fromkeys(Quota.values, (0, LARGEST_LIMIT))}
    return tuple(
        models.CheckConstraint(
            condition=models.Q(**{f"{name}__isnull": True}) | models.Q(**{f"{name}__range": bounds}),
            name=f"{table}_{name}_in_range",
            violation_error_message=f"{name}: give a number from {bounds[0]} to {bounds[1]}.",
        )
        for name, bounds in ranges.items()
    )


class Plan(Limits):
    """A product that tenants are on. A limit that is null does not apply."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=60, unique=True, help_text="Shown to customers; a label of the metrics.")
    is_default = models.BooleanField(default=False, help_text="Of every tenant that has no plan assigned.")

    class Meta:
        constraints = (
            models.UniqueConstraint("is_default", condition=models.Q(is_default=True), name="one_default_plan"),
            *check_limits("plan"),
        )

    def __str__(self) -> str:
        return self.name


class PlanAssignment(TenantOwned, Limits):
    """The plan of a tenant. A limit that is set here replaces the plan's. Only staff change it."""

    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="+")
    note = models.CharField(max_length=300, blank=True, help_text="For staff: why the tenant has other limits.")
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[TenantManager["PlanAssignment"]] = TenantManager()

    class Meta:
        verbose_name = "plan of a tenant"
        verbose_name_plural = "plans of tenants"
        constraints = (
            models.UniqueConstraint(fields=["tenant"], name="one_plan_per_tenant"),
            *check_limits("plan_assignment"),
        )

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.plan}"


class StorageChange(TenantOwned):
    """A change of the number of facts and stored bytes. Triggers write a row for each statement that adds or deletes.

    The sum over a tenant is its use. Old rows are added up, one row a day, by `add_up_storage_changes`.
    """

    day = models.DateField(help_text="In UTC.")
    memories = models.BigIntegerField(default=0)
    stored_bytes = models.BigIntegerField(default=0)
    transaction = models.BigIntegerField(default=0, help_text="Its id in Postgres; 0 for a sum of several.")

    objects: ClassVar[TenantManager["StorageChange"]] = TenantManager()

    class Meta:
        indexes = (models.Index(fields=["tenant", "day"], name="storage_of_tenant"),)

    def __str__(self) -> str:
        return f"{self.day} {self.memories:+} {self.stored_bytes:+}"


class QuotaNotice(TenantOwned):
    """A warning that was sent, so that it is sent once a month."""

    quota = models.CharField(max_length=20, choices=Quota)
    level = models.PositiveSmallIntegerField(help_text="80 or 100 per cent.")
    month = models.DateField(help_text="Its first day.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["QuotaNotice"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "quota", "level", "month"], name="quota_notice_once_a_month"),
        )

    def __str__(self) -> str:
        return f"{self.quota} {self.level} %"
