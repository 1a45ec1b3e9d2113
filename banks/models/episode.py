from typing import ClassVar

from django.db import models
from pgvector.django import VectorField

from banks.models.bank import Bank
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantOwned


class Episode(TenantOwned):
    """A run of messages on one topic. Facts are extracted from it, and it can be searched by itself."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    thread = models.CharField(max_length=200, blank=True)
    narrative = models.TextField(blank=True)
    embedding = VectorField(null=True)
    centroid = VectorField(null=True, help_text="Mean of its turns' vectors: what a continued topic is held against.")
    previous = models.ForeignKey("self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    number = models.PositiveIntegerField(null=True, help_text="Its name in the text index; null until it is there.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    message_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OfBankManager["Episode"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "number"], name="episode_number_once"),
            models.CheckConstraint(
                condition=models.Q(ended_at__gte=models.F("started_at")), name="episode_start_first"
            ),
        )
        indexes = (models.Index(fields=["bank", "thread", "-ended_at"], name="episode_newest"),)  # which are open

    def __str__(self) -> str:
        return f"{self.thread} {self.started_at:%Y-%m-%d %H:%M}"
