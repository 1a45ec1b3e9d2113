from typing import ClassVar

from django.db import models

from tenants.scoping import TenantManager, TenantOwned
from tenants.sealed_text import SealedTextField


class IdempotencyRecord(TenantOwned):
    """What a request under an `Idempotency-Key` was, and what it was answered."""

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
