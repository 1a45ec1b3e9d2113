from typing import ClassVar

from django.db import models

from tenants.scoping import TenantManager, TenantOwned


class CachedAnswer(TenantOwned):
    """What a model answered to the same question before, within one tenant: a retry costs nothing twice."""

    key = models.BinaryField(max_length=32, help_text="SHA-256 of model and question.")
    answer = models.BinaryField(help_text="The text of an LLM's answer, or a vector's bytes.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["CachedAnswer"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["tenant", "key"], name="cached_answer_once"),)
        indexes = (models.Index(fields=["tenant", "created_at"], name="cached_answer_by_age"),)  # expiry

    def __str__(self) -> str:
        return str(self.id)
