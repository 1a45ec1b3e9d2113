"""Cached answers of models, within one tenant."""

from typing import ClassVar

from django.db import models

from tenants.scoping import TenantManager, TenantOwned


class CachedAnswer(TenantOwned):
    """A model's former answer to the same question, so that a retry costs nothing."""

    key = models.BinaryField(max_length=32, help_text="SHA-256 of model and question.")
    answer = models.BinaryField(help_text="The text of an LLM's answer, or a vector's bytes.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["CachedAnswer"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "key"], name="cached_answer_once"),)
        indexes = (models.Index(fields=["tenant", "created_at"], name="cached_answer_by_age"),)  # expiry

    def __str__(self) -> str:
        return str(self.id)


class AnswerPurge(TenantOwned):
    """How often a deletion purged the tenant's cached answers: one row for each tenant.

    A process that read the memory before a purge notices it by this count and keeps no answer.
    """

    times = models.PositiveIntegerField(default=0)

    objects: ClassVar[TenantManager["AnswerPurge"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant"], name="answer_purge_once"),)

    def __str__(self) -> str:
        return str(self.times)
