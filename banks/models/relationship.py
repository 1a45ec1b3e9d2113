from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models.bank import Bank, HasVector
from banks.models.entity import Entity
from banks.models.unit import MemoryUnit
from banks.models.validity import Validity, ValidityQuerySet, validity_constraints
from tenants.scoping import TenantManager, TenantOwned


class RelationshipQuerySet(ValidityQuerySet["Relationship"]):
    pass


RelationshipManager = models.Manager.from_queryset(RelationshipQuerySet)


class Relationship(HasVector, Validity):
    """entity - relation - entity, or a value where there is no entity; searchable by its sentence."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    subject = models.ForeignKey(Entity, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    relation = models.CharField(max_length=100)
    object = models.ForeignKey(Entity, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    value = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    mentioned_at = models.DateTimeField(help_text="When it was last said.")
    proof_count = models.PositiveIntegerField(default=1)
    number = models.PositiveIntegerField(null=True, help_text="Its number in the text index; null until it is indexed.")
    superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )

    objects: ClassVar[RelationshipManager["Relationship"]] = RelationshipManager()

    class Meta:
        constraints = (
            *validity_constraints("relationship"),
            models.UniqueConstraint(fields=["bank", "number"], name="relationship_number_once"),
            models.UniqueConstraint(
                fields=["subject", "relation", "object", "value"],
                condition=Q(expired_at=None),
                nulls_distinct=False,
                name="relationship_held_once",
            ),
        )
        indexes = (
            models.Index(fields=["bank", "relation"], name="relationship_of_bank"),  # the list route
            # scheduled ends: few of all
            models.Index(
                fields=["bank", "valid_until"],
                condition=Q(valid_until__isnull=False, expired_at=None),
                name="relation_with_scheduled_end",
            ),
        )

    def __str__(self) -> str:
        return self.text[:80]


class RelationshipSource(TenantOwned):
    """A unit that states a relationship. `is_whole_unit`: the unit says nothing else, so both end together."""

    relationship = models.ForeignKey(
        Relationship, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    is_whole_unit = models.BooleanField(default=False, db_default=False)

    objects: ClassVar[TenantManager["RelationshipSource"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["relationship", "unit"], name="relationship_source_once"),)

    def __str__(self) -> str:
        return f"{self.relationship} <- {self.unit}"
