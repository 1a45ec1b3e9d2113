"""Records of recalls, and feedback on their results."""

from datetime import datetime
from typing import ClassVar, Self
from uuid import UUID

from django.db import models
from django.db.models import Q

from banks.models import Bank, Chunk, MemoryUnit
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class RecallRecordQuerySet(OfBankQuerySet["RecallRecord"]):
    def kept(self, since: datetime) -> Self:
        """Without records that are too old, swept or not."""
        return self.filter(recalled_at__gte=since)


RecallRecordManager = models.Manager.from_queryset(RecallRecordQuerySet)


class RecallRecord(TenantOwned):
    """The results of one recall in one bank. A call across banks leaves a record in each, which goes with its bank.

    It names memories by their ids and holds none of their text.
    """

    class Purpose(models.TextChoices):
        RECALL = "recall"
        REFLECT = "reflect"  # a recall of a reflect, which counts its usage itself

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    recall_id = models.UUIDField(help_text="Of the call; the same in every bank that it asked.")
    recalled_at = models.DateTimeField()
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.RECALL)
    query = models.TextField(help_text="As it was searched: on one line, shortened where it is very long.")
    query_type = models.CharField(max_length=20)
    results = models.JSONField(help_text="Id, kind, rank, tokens, final score, and the rank in each channel.")
    tokens = models.PositiveIntegerField()
    milliseconds = models.JSONField(help_text="By stage.")
    left_out = models.JSONField(default=list, help_text="Channels that failed or took too long, with the reason.")
    trace = models.JSONField(null=True, help_text="Of a sample, and where it was asked for.")

    objects: ClassVar[RecallRecordManager["RecallRecord"]] = RecallRecordManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "recall_id"], name="recall_once_a_bank"),)
        indexes = (
            models.Index(fields=["bank", "id"], name="recalls_of_bank"),  # the list of a bank's recalls
            models.Index(fields=["tenant", "recalled_at"], name="recalls_by_time"),  # the sweep of old ones
        )

    def __str__(self) -> str:
        return str(self.recall_id)


class FeedbackQuerySet(OfBankQuerySet["Feedback"]):
    def about(self, memory_id: UUID) -> Self:
        return self.filter(Q(unit_id=memory_id) | Q(chunk_id=memory_id))


FeedbackManager = models.Manager.from_queryset(FeedbackQuerySet)


class Feedback(TenantOwned):
    """A caller's mark on one result of one recall. It outlives the record of the recall and goes with the memory."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    recall_id = models.UUIDField()
    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="+")
    chunk = models.ForeignKey(Chunk, on_delete=models.DO_NOTHING, db_constraint=False, null=True, related_name="+")
    useful = models.BooleanField()
    comment = models.CharField(max_length=1_000, blank=True)
    marked_by = models.CharField(max_length=200, help_text="The caller; his later mark replaces this one.")
    rank = models.PositiveIntegerField(help_text="Of the result in its recall, from 1.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[FeedbackManager["Feedback"]] = FeedbackManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "recall_id", "unit", "marked_by"], name="unit_marked_once"),
            models.UniqueConstraint(fields=["bank", "recall_id", "chunk", "marked_by"], name="chunk_marked_once"),
            models.CheckConstraint(
                condition=Q(unit=None, chunk__isnull=False) | Q(unit__isnull=False, chunk=None),
                name="feedback_on_one_memory",
            ),
        )
        indexes = (models.Index(fields=["bank", "id"], name="feedback_of_bank"),)  # the list of a bank's feedback

    def __str__(self) -> str:
        return f"{'useful' if self.useful else 'not useful'}: {self.memory_id}"

    @property
    def memory_id(self) -> UUID | None:
        return self.unit_id or self.chunk_id
