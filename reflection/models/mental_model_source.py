from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from banks.models import Bank, Chunk, MemoryUnit
from banks.models.of_bank import OfBankQuerySet
from reflection.models.mental_model_revision import MentalModelRevision
from tenants.scoping import TenantOwned


class MentalModelSourceQuerySet(OfBankQuerySet["MentalModelSource"]):
    def lost(self) -> Self:
        """What they pointed at was deleted."""
        return self.filter(unit=None, chunk=None)


MentalModelSourceManager = models.Manager.from_queryset(MentalModelSourceQuerySet)


class MentalModelSource(TenantOwned):
    """A memory or a raw passage that was looked at for a revision: where it is deleted, the revision can't stay."""

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
            models.Index(fields=["bank", "id"], name="mental_model_sources_of_bank"),  # an export
            models.Index(  # what a deletion left behind
                fields=["bank"], condition=Q(unit=None, chunk=None), name="mental_model_source_gone"
            ),
        )

    def __str__(self) -> str:
        return f"{self.revision_id} {self.unit_id or self.chunk_id}"
