from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from banks.models.unit import MemoryUnit
from tenants.scoping import TenantManager, TenantOwned


class Link(TenantOwned):
    """A weighted edge between two units. Neighbours by entity and by time are derived, not stored."""

    class Type(models.TextChoices):
        SEMANTIC = "semantic"
        CAUSES = "causes"
        CAUSED_BY = "caused_by"
        ENABLES = "enables"
        PREVENTS = "prevents"

    source = models.ForeignKey(
        MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    target = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    type = models.CharField(max_length=10, choices=Type)
    weight = models.FloatField()

    objects: ClassVar[TenantManager["Link"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["source", "target", "type"], name="link_once"),
            models.CheckConstraint(condition=~Q(source=F("target")), name="link_not_to_itself"),
            models.CheckConstraint(condition=Q(weight__range=(0.0, 1.0)), name="link_weight_in_range"),
            models.CheckConstraint(
                condition=Q(type__in=["semantic", "causes", "caused_by", "enables", "prevents"]), name="link_type_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.weight:.2f}"
