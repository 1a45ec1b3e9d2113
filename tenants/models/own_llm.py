from typing import ClassVar

from django.db import models

from tenants.models.accounts import User
from tenants.scoping import TenantManager, TenantOwned
from tenants.sealed_text import SealedTextField

TASKS = ["all", "extract", "reflect", "observe", "judge", "fallback"]


class OwnLLM(TenantOwned):
    """A language model that a tenant brings: an OpenAI-compatible endpoint. The key is sealed and never shown again.

    `all` serves every task that has no row of its own. `fallback` takes over while another one fails.
    """

    class Task(models.TextChoices):
        ALL = "all"
        EXTRACT = "extract"
        REFLECT = "reflect"
        OBSERVE = "observe"
        JUDGE = "judge"
        FALLBACK = "fallback"

    task = models.CharField(max_length=20, choices=Task, default=Task.ALL)
    base_url = models.CharField(max_length=2_000)
    model = models.CharField(max_length=200)
    api_key = SealedTextField(blank=True)
    key_ending = models.CharField(max_length=4, blank=True, help_text="The last characters of the key, for people.")
    reasoning_effort = models.CharField(max_length=20, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    timeout_seconds = models.FloatField(null=True, blank=True)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    checked_at = models.DateTimeField(help_text="When the endpoint last passed the test call.")

    objects: ClassVar[TenantManager["OwnLLM"]] = TenantManager()

    class Meta:
        verbose_name = "own LLM"
        constraints = (
            models.UniqueConstraint(fields=["tenant", "task"], name="own_llm_once_a_task"),
            models.CheckConstraint(condition=models.Q(task__in=TASKS), name="own_llm_task_known"),
            models.CheckConstraint(
                condition=models.Q(temperature=None) | models.Q(temperature__range=(0, 2)),
                name="own_llm_temperature_range",
            ),
            models.CheckConstraint(
                condition=models.Q(timeout_seconds=None) | models.Q(timeout_seconds__gt=0),
                name="own_llm_timeout_positive",
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"
