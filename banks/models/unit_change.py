from typing import ClassVar

from django.db import models

from banks.models.unit import MemoryUnit
from tenants.scoping import TenantManager, TenantOwned


class UnitChange(TenantOwned):
    """One step of a unit's history: nothing about a memory changes without one. It goes with its unit."""

    class Action(models.TextChoices):
        EDITED = "edited"
        MERGED = "merged"  # another telling of the same matter was taken in
        INVALIDATED = "invalidated"  # by hand
        SUPERSEDED = "superseded"  # by another unit
        ANNOUNCED = "announced"  # another unit will supersede it, on a day that lies ahead
        RESTORED = "restored"  # opened again, or its announced end taken back

    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    action = models.CharField(max_length=12, choices=Action)
    before = models.JSONField(default=dict, help_text="The fields that changed, as they were.")
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=200, help_text="Who or what did it: an API key's name, an engine.")
    reason = models.CharField(max_length=500, blank=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["UnitChange"]] = TenantManager()

    def __str__(self) -> str:
        return f"{self.action} {self.unit_id}"
