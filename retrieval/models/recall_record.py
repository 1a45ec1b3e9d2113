from datetime import datetime
from typing import ClassVar, Self

from django.db import models

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class RecallRecordQuerySet(OfBankQuerySet["RecallRecord"]):
    def kept(self, since: datetime) -> Self:
        """Without those whose time is over, whether they are swept already or not."""
        return self.filter(recalled_at__gte=since)


RecallRecordManager = models.Manager.from_queryset(RecallRecordQuerySet)


class RecallRecord(TenantOwned):
    """What one recall found in one bank. A call across banks leaves a record in each, so that it goes with its bank.

    It names memories by their ids and holds none of their text.
    """

    class Purpose(models.TextChoices):
        RECALL = "recall"
        REFLECT = "reflect"  # a look-up of a reflect, which counts what it cost

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
        constraints = (
            # Who marks a result asks for the recall by its id.
            models.UniqueConstraint(fields=["bank", "recall_id"], name="recall_once_a_bank"),
        )
        indexes = (
            models.Index(fields=["bank", "id"], name="recalls_of_bank"),  # the list of a bank's recalls
            models.Index(fields=["tenant", "recalled_at"], name="recalls_by_time"),  # the sweep of old ones
        )

    def __str__(self) -> str:
        return str(self.recall_id)
