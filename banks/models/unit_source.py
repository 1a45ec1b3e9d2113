from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models.chunk import Chunk
from banks.models.episode import Episode
from banks.models.message import Message
from banks.models.unit import MemoryUnit
from tenants.scoping import TenantManager, TenantOwned


class UnitSource(TenantOwned):
    """What a unit rests on: some characters of a message or chunk, an episode, or other units."""

    class Role(models.TextChoices):
        SAID = "said"
        IN_PART = "in_part"  # said, with less to it than the unit has
        EVIDENCE = "evidence"
        MERGED = "merged"
        SUMMARISES = "summarises"

    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    role = models.CharField(max_length=10, choices=Role, default=Role.SAID)
    message = models.ForeignKey(Message, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    chunk = models.ForeignKey(Chunk, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    episode = models.ForeignKey(Episode, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    other_unit = models.ForeignKey(
        MemoryUnit, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)

    objects: ClassVar[TenantManager["UnitSource"]] = TenantManager()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(end=None) | Q(end__gte=models.F("start")), name="source_start_first"),
        )

    def __str__(self) -> str:
        return f"{self.unit_id} {self.role}"
