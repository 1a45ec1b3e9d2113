from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank
from reflection.models.mental_model import MentalModel
from tenants.scoping import TenantOwned, TenantQuerySet


class MentalModelRevisionQuerySet(TenantQuerySet["MentalModelRevision"]):
    def of_model(self, model: MentalModel) -> Self:
        return self.for_tenant(model.tenant_id).filter(mental_model=model)


MentalModelRevisionManager = models.Manager.from_queryset(MentalModelRevisionQuerySet)


class MentalModelRevision(TenantOwned):
    """One content of a mental model, and what wrote it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    mental_model = models.ForeignKey(
        MentalModel, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    number = models.PositiveIntegerField(help_text="From 1, without gaps.")
    source_query = models.TextField(help_text="As it was asked.")
    content = models.TextField(blank=True, help_text="Empty where it was cleared or withdrawn.")
    structured = models.JSONField(null=True, help_text="The same by the schema of the trigger.")
    engine = models.CharField(max_length=200, blank=True, help_text="What wrote it; empty where it was cleared.")
    withdrawn = models.BooleanField(default=False, help_text="A memory that it was made from was deleted.")
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[MentalModelRevisionManager["MentalModelRevision"]] = MentalModelRevisionManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["mental_model", "number"], name="mental_model_revision_once"),
            models.CheckConstraint(
                condition=Q(withdrawn=False) | Q(content=""), name="mental_model_withdrawn_is_empty"
            ),
        )
        indexes = (models.Index(fields=["bank", "id"], name="mental_model_revisions_of_bank"),)  # an export

    def __str__(self) -> str:
        return f"{self.mental_model_id} {self.number}"
