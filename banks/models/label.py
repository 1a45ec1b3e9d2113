"""Tags and metadata as rows: under row-level security only comparisons by equality can use an index."""

from typing import ClassVar

from django.db import models

from banks.models.unit import MemoryUnit
from tenants.scoping import TenantManager, TenantOwned


class UnitTag(TenantOwned):
    bank_id = models.UUIDField()
    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    tag = models.CharField(max_length=200)

    objects: ClassVar[TenantManager["UnitTag"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank_id", "tag", "unit"], name="unit_tag_once"),)

    def __str__(self) -> str:
        return self.tag


class UnitMetadata(TenantOwned):
    bank_id = models.UUIDField()
    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    key = models.CharField(max_length=100)
    value = models.CharField(max_length=500)

    objects: ClassVar[TenantManager["UnitMetadata"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank_id", "key", "value", "unit"], name="unit_metadata_once"),)

    def __str__(self) -> str:
        return f"{self.key}={self.value}"
