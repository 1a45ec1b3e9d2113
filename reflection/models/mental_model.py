from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned

LEAST_TOKENS, MOST_TOKENS = 256, 8_192  # of a content


class MentalModelQuerySet(OfBankQuerySet["MentalModel"]):
    def following_facts(self) -> Self:
        """Those that are written anew by themselves. One that failed waits until somebody asks for it."""
        return self.filter(trigger__refresh_after_consolidation=True, failed_at=None)


MentalModelManager = models.Manager.from_queryset(MentalModelQuerySet)


class MentalModel(TenantOwned):
    """A question that is asked again and again, and the answer that memory gave last."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    key = models.CharField(max_length=200, help_text="The id that callers know it by.")
    name = models.CharField(max_length=200)
    source_query = models.TextField()
    tags = ArrayField(
        models.CharField(max_length=200),
        default=list,
        help_text="Of the memories that it is made from; empty: of all.",
    )
    max_tokens = models.PositiveIntegerField(default=2048)
    trigger = models.JSONField(default=dict, help_text="When and how it is written anew.")
    content = models.TextField(blank=True, help_text="That of the last revision.")
    revision = models.PositiveIntegerField(default=0, help_text="The number of the last one; 0 before the first.")
    seen_until = models.DateTimeField(null=True, help_text="When the newest memory was recorded that it has seen.")
    refreshed_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True, help_text="When the last refresh failed; null where it did not.")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[MentalModelManager["MentalModel"]] = MentalModelManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "key"], name="mental_model_once"),
            models.CheckConstraint(
                condition=Q(max_tokens__range=(LEAST_TOKENS, MOST_TOKENS)), name="mental_model_has_a_length"
            ),
        )

    def __str__(self) -> str:
        return self.name
