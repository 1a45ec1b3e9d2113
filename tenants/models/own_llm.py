from typing import ClassVar

from django.db import models

from tenants.models.accounts import User
from tenants.scoping import TenantManager, TenantOwned
from tenants.sealed_text import SealedTextField


class OwnLLM(TenantOwned):
    """A language model that a tenant brings: an OpenAI-compatible endpoint. The key is sealed and never shown again.

    `task` is `all` today. A row for one task can stand beside it.
    """

    class Task(models.TextChoices):
        ALL = "all"

    task = models.CharField(max_length=20, choices=Task, default=Task.ALL)
    base_url = models.CharField(max_length=2_000)
    model = models.CharField(max_length=200)
    api_key = SealedTextField(blank=True)
    key_ending = models.CharField(max_length=4, blank=True, help_text="The last characters of the key, for people.")
    changed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    checked_at = models.DateTimeField(help_text="When the endpoint last passed the test call.")

    objects: ClassVar[TenantManager["OwnLLM"]] = TenantManager()

    class Meta:
        verbose_name = "own LLM"
        constraints = (
            models.UniqueConstraint(fields=["tenant", "task"], name="own_llm_once_a_task"),
            models.CheckConstraint(condition=models.Q(task__in=["all"]), name="own_llm_task_known"),
        )

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"
