from typing import ClassVar

from django.db import models

from banks.models.bank import Bank
from banks.models.episode import Episode
from banks.models.of_bank import OfBankManager
from banks.models.spoken import Spoken
from tenants.scoping import TenantOwned


class Message(Spoken, TenantOwned):
    """What was said, as it was said. Append-only: the database lets nobody change a word of it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    thread = models.CharField(max_length=200, blank=True, help_text="The caller's own name for the conversation.")
    role = models.CharField(max_length=10)
    speaker = models.CharField(max_length=200, help_text="The name that stands for it in texts.")
    actor = models.CharField(max_length=200, blank=True, help_text="Which agent or user, by the caller's own id.")
    content = models.TextField()
    episode = models.ForeignKey(Episode, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    recorded_at = models.DateTimeField(auto_now_add=True)
    extracted_at = models.DateTimeField(null=True, help_text="When facts were taken from it; null while that waits.")

    objects: ClassVar[OfBankManager["Message"]] = OfBankManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(role__in=["user", "assistant", "system", "tool"]), name="message_role_known"
            ),
        )
        indexes = (
            # the newest of a thread, where its open episodes are; the list route
            models.Index(fields=["bank", "thread", "-said_at", "-id"], name="message_in_thread"),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.id}"
