"""Operations, their dispatches, requests with an idempotency key, receipts of erasures, and the log of LLM requests."""

import json
from typing import ClassVar, Self
from uuid import UUID

from django.db import models
from django.db.models import Q

from banks.models import Bank
from providers.llm.protocol import Task
from providers.usage import Usage
from tenants.scoping import TenantManager, TenantOwned, TenantQuerySet
from tenants.sealed_text import SealedText, SealedTextField
from tenants.usage import sum_operation


class OperationQuerySet(TenantQuerySet["Operation"]):
    def within(self, bank_ids: frozenset[str] | None) -> Self:
        """Only those of these banks, where a key is limited to some."""
        return self if bank_ids is None else self.filter(bank_key__in=bank_ids)

    def held(self, operation_id: UUID, token: int) -> Self:
        """The row, if the holder of this fencing token may still write it."""
        return self.filter(id=operation_id, fencing_token=token, status=Operation.Status.PROCESSING)


OperationManager = models.Manager.from_queryset(OperationQuerySet)


class Operation(TenantOwned):
    """A piece of work that outlives its request. The row is the truth; a message in the broker only wakes a worker."""

    class Status(models.TextChoices):
        PENDING = "pending"
        PROCESSING = "processing"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (Status.PENDING, Status.PROCESSING)

    kind = models.CharField(max_length=60)
    status = models.CharField(max_length=12, choices=Status, default=Status.PENDING)
    bank = models.ForeignKey(Bank, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    bank_key = models.CharField(max_length=200, blank=True, help_text="The bank's id, which outlives the bank.")
    payload = models.JSONField(default=dict, help_text="All that a worker needs to begin, or to begin again.")
    result = models.JSONField(null=True)
    idempotency_key = models.CharField(max_length=255, null=True)  # noqa: DJ001  # null: the unique index skips it
    api_key_prefix = models.CharField(
        max_length=16, blank=True, default="", db_default="", help_text="The key that asked for it, for the usage."
    )

    stage = models.CharField(max_length=60, blank=True)
    processed = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)

    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField()
    next_attempt_at = models.DateTimeField(null=True)
    error_code = models.CharField(max_length=60, blank=True)
    error_detail = models.TextField(blank=True)

    lease_until = models.DateTimeField(null=True)
    fencing_token = models.BigIntegerField(
        default=0, help_text="Grows with every claim; only its newest holder writes."
    )

    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects: ClassVar[OperationManager["Operation"]] = OperationManager()
    usage: Usage | None = None  # no column: `read_usage` sets it

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["tenant", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="operation_once_per_key",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["pending", "processing", "completed", "failed", "cancelled"]),
                name="operation_status_known",
            ),
            models.CheckConstraint(
                condition=~Q(status="processing") | Q(lease_until__isnull=False), name="operation_processing_has_lease"
            ),
        )
        indexes = (models.Index(fields=["tenant", "status", "-id"], name="operation_by_status"),)  # the list route

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    def read_usage(self) -> None:
        """Sets the usage of all attempts. Call inside a tenant transaction."""
        self.usage = sum_operation(self.tenant_id, self.id)

    @property
    def is_finished(self) -> bool:
        return self.status not in self.UNFINISHED


class Dispatch(models.Model):
    """An unfinished operation, without a word of its content: when must somebody look at it (again)?

    A platform table outside the wall, so that one sweeper and the metrics serve all tenants. It is written in the
    transactions that change the operation: due soon after the submission, after the lease while a worker holds it,
    at the next attempt after a failure. It is gone once the operation is finished.
    """

    operation_id = models.UUIDField(primary_key=True)
    tenant_id = models.UUIDField()
    queue = models.CharField(max_length=30)
    due_at = models.DateTimeField()
    wakes = models.PositiveIntegerField(default=0, help_text="Messages sent since the last sign of life.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = (
            models.Index(fields=["due_at"], name="dispatch_due"),  # the sweeper
            models.Index(fields=["queue", "tenant_id", "created_at"], name="dispatch_turns"),  # the fair queue
        )

    def __str__(self) -> str:
        return f"{self.queue} {self.operation_id}"


class IdempotencyRecord(TenantOwned):
    """A request under an `Idempotency-Key`, and its response."""

    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of API key, method, path and body.")
    claimed_at = models.DateTimeField(help_text="In flight since, while there is no answer.")
    status_code = models.PositiveSmallIntegerField(null=True)
    bank_key = models.CharField(
        max_length=200, blank=True, help_text="The bank whose memories the answer may quote; '/' if any may be."
    )
    answer = SealedTextField(blank=True, help_text="As JSON. Empty until there is one, and once it was forgotten.")
    forgotten = models.BooleanField(default=False, help_text="What it may quote was deleted since it was begun.")

    objects: ClassVar[TenantManager["IdempotencyRecord"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "key"], name="idempotency_key_once"),)
        indexes = (
            models.Index(fields=["tenant", "claimed_at"], name="idempotency_by_age"),  # the expiry of old ones
            models.Index(
                fields=["tenant", "bank_key"], condition=models.Q(forgotten=False), name="idempotency_by_bank"
            ),  # what tells of deleted memories
        )

    def __str__(self) -> str:
        return self.key


class Erasure(TenantOwned):
    """An erasure and, once it is done, its receipt. It holds ids and numbers, nothing of what was erased."""

    class Kind(models.TextChoices):
        MEMORY = "memory"
        MESSAGE = "message"
        THREAD = "thread"
        DOCUMENT = "document"
        ENTITY = "entity"
        BANK = "bank"
        TENANT = "tenant"  # the row goes with the tenant; `TenantErasure` is the receipt

    kind = models.CharField(max_length=10, choices=Kind)
    bank_key = models.CharField(
        max_length=200, blank=True, help_text="The bank's id, which outlives the bank; empty for a tenant."
    )
    target_id = models.UUIDField(
        null=True, help_text="Null for a thread, whose name is the caller's and may be a text."
    )
    operation = models.ForeignKey(
        Operation, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    requested_by = models.CharField(max_length=200)
    requested_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True)
    erased = models.JSONField(default=dict, help_text="Erased rows by table.")
    rewritten = models.JSONField(default=dict, help_text="Rows that stay without the erased words, by table.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the erased ids.")

    objects: ClassVar[TenantManager["Erasure"]] = TenantManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["memory", "message", "thread", "document", "entity", "bank", "tenant"]),
                name="erasure_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(completed_at=None) | ~Q(sha256=""), name="erasure_completed_with_receipt"
            ),
        )
        indexes = (models.Index(fields=["tenant", "-id"], name="erasures_newest_first"),)  # the list route

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


TASKS = [task.value for task in Task]


class LLMRequest(TenantOwned):
    """A request to a language model, in the log of a tenant that wants one. Prompt and answer quote memories."""

    OK, ABANDONED = "ok", "abandoned"

    created_at = models.DateTimeField(auto_now_add=True)
    task = models.CharField(max_length=10, choices=[(task, task) for task in TASKS])
    service = models.CharField(max_length=12, help_text="llm, or own_llm for a model of the tenant's own.")
    model = models.CharField(max_length=200)
    bank_key = models.CharField(max_length=200, blank=True, help_text="The bank's id; empty if several were read.")
    operation_id = models.UUIDField(null=True, help_text="The operation that asked, where one did.")
    outcome = models.CharField(max_length=60, help_text="ok, abandoned, or the class of the error.")
    milliseconds = models.PositiveIntegerField()
    input_tokens = models.PositiveBigIntegerField()
    output_tokens = models.PositiveBigIntegerField()
    calls = models.PositiveIntegerField(help_text="Answers of the model: 2 if it had to correct the first.")
    estimated = models.BooleanField(help_text="The tokens were counted here, not by the endpoint.")
    cost = models.DecimalField(
        max_digits=20, decimal_places=9, null=True, help_text="Null for a model without a price, and for an own one."
    )
    prompt = SealedTextField(help_text="The messages, as JSON.")
    answer = SealedTextField(blank=True)

    objects: ClassVar[TenantManager["LLMRequest"]] = TenantManager()

    class Meta:
        verbose_name = "LLM request"
        constraints = (models.CheckConstraint(condition=Q(task__in=TASKS), name="llm_request_task_known"),)
        indexes = (
            models.Index(fields=["tenant", "-id"], name="llm_requests_newest_first"),
            models.Index(fields=["tenant", "bank_key", "-id"], name="llm_requests_of_bank"),  # list, and deletions
            models.Index(
                fields=["tenant", "operation_id"], condition=Q(operation_id__isnull=False), name="llm_requests_of_work"
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} {self.id}"

    @property
    def messages(self) -> list[dict[str, str]] | None:
        """The prompt: role and content of each message. None if no key of the service decrypts it any more."""
        return None if isinstance(self.prompt, SealedText) else json.loads(self.prompt)

    @property
    def readable_answer(self) -> str | None:
        return None if isinstance(self.answer, SealedText) else self.answer
