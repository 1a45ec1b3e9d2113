from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from banks.models import Bank, Chunk, MemoryUnit
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned, TenantQuerySet

LEAST_TOKENS, MOST_TOKENS = 256, 8_192  # of a content


class MentalModelQuerySet(OfBankQuerySet["MentalModel"]):
    def following_facts(self) -> Self:
        """Models that are refreshed without a request. A failed one waits for a request."""
        return self.filter(trigger__refresh_after_consolidation=True, failed_at=None)

    def scheduled(self) -> Self:
        return self.filter(next_refresh_at__isnull=False)


MentalModelManager = models.Manager.from_queryset(MentalModelQuerySet)


class MentalModel(TenantOwned):
    """A standing question to the memory, and its latest answer."""

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
    next_refresh_at = models.DateTimeField(null=True, help_text="The next moment of its schedule; null without one.")
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


class MentalModelRevisionQuerySet(TenantQuerySet["MentalModelRevision"]):
    def of_model(self, model: MentalModel) -> Self:
        return self.for_tenant(model.tenant_id).filter(mental_model=model)


MentalModelRevisionManager = models.Manager.from_queryset(MentalModelRevisionQuerySet)


class MentalModelRevision(TenantOwned):
    """One content of a mental model, and the engine that wrote it."""

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
        indexes = (models.Index(fields=["bank", "id"], name="mental_model_revisions_of_bank"),)  # an export reads by it

    def __str__(self) -> str:
        return f"{self.mental_model_id} {self.number}"


class MentalModelSourceQuerySet(OfBankQuerySet["MentalModelSource"]):
    def lost(self) -> Self:
        """Sources whose memory or passage was deleted."""
        return self.filter(unit=None, chunk=None)


MentalModelSourceManager = models.Manager.from_queryset(MentalModelSourceQuerySet)


class MentalModelSource(TenantOwned):
    """A memory or raw passage that a revision was written from. Its deletion withdraws the revision."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    revision = models.ForeignKey(
        MentalModelRevision, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    unit = models.ForeignKey(MemoryUnit, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    chunk = models.ForeignKey(Chunk, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    is_cited = models.BooleanField(default=False)

    objects: ClassVar[MentalModelSourceManager["MentalModelSource"]] = MentalModelSourceManager()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(unit=None) | Q(chunk=None), name="mental_model_source_is_one"),
        )
        indexes = (
            models.Index(fields=["bank", "id"], name="mental_model_sources_of_bank"),  # an export reads by it
            models.Index(  # lost sources
                fields=["bank"], condition=Q(unit=None, chunk=None), name="mental_model_source_gone"
            ),
        )

    def __str__(self) -> str:
        return f"{self.revision_id} {self.unit_id or self.chunk_id}"
