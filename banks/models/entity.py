from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from banks.enums import EntityKind
from banks.extraction_settings import LONGEST_TYPE
from banks.models.bank import Bank, HasVector
from banks.models.of_bank import OfBankQuerySet
from banks.models.unit import MemoryUnit
from tenants.scoping import TenantManager, TenantOwned


class EntityQuerySet(OfBankQuerySet["Entity"]):
    pass


EntityManager = models.Manager.from_queryset(EntityQuerySet)


class Entity(HasVector):
    """A person or thing that memories are about, under one canonical name."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    name = models.CharField(max_length=300, help_text="The canonical name: the most complete one so far.")
    identity = models.CharField(max_length=300, help_text="The key of the name, unique together with the kind.")
    kind = models.CharField(max_length=12, choices=EntityKind)
    type = models.CharField(
        max_length=LONGEST_TYPE, blank=True, default="", db_default="", help_text="One of the bank's own entity types."
    )
    summary = models.TextField(blank=True)
    attributes = models.JSONField(default=dict)
    is_speaker = models.BooleanField(default=False)
    name_is_chosen = models.BooleanField(
        db_default=False, help_text="A person chose the name, so retain does not change it."
    )
    kind_is_stated = models.BooleanField(
        db_default=False, help_text="A caller or a model stated the kind; otherwise it is a guess."
    )
    mention_count = models.PositiveIntegerField(default=0)
    first_seen_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[EntityManager["Entity"]] = EntityManager()

    class Meta:
        constraints = (
            # Two workers that meet a new name at the same time make one entity.
            models.UniqueConstraint(fields=["bank", "identity", "kind"], name="entity_identity_unique"),
        )

    def __str__(self) -> str:
        return self.name


class EntityName(TenantOwned):
    """A name under which an entity is found: the canonical one and every alias. Two entities may share an alias."""

    entity = models.ForeignKey(Entity, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    bank_id = models.UUIDField()
    name = models.CharField(max_length=300)
    normalised_name = models.CharField(max_length=300)
    uses = models.PositiveIntegerField(default=1)

    objects: ClassVar[TenantManager["EntityName"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank_id", "normalised_name", "entity"], name="entity_alias_once"),
        )

    def __str__(self) -> str:
        return self.name


class EntityKey(TenantOwned):
    """A trigram of a name, or the full name behind a nickname or acronym. Candidates for a mention share some keys.

    Keys are compared by equality, because only that can use an index under row-level security.
    """

    entity = models.ForeignKey(Entity, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    bank_id = models.UUIDField()
    key = models.CharField(max_length=120)

    objects: ClassVar[TenantManager["EntityKey"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank_id", "key", "entity"], name="entity_key_once"),)

    def __str__(self) -> str:
        return self.key


class Mention(TenantOwned):
    """A unit names an entity. Two units that mention the same entity are neighbours without a stored link."""

    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    entity = models.ForeignKey(
        Entity, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    name = models.CharField(max_length=300, help_text="As it was said.")

    objects: ClassVar[TenantManager["Mention"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["entity", "unit"], name="mention_once"),)

    def __str__(self) -> str:
        return self.name


class CoOccurrence(TenantOwned):
    """How often two entities are in one unit. The smaller id comes first, so that a pair has one row."""

    first = models.ForeignKey(
        Entity, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    second = models.ForeignKey(Entity, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    count = models.PositiveIntegerField(default=1)

    objects: ClassVar[TenantManager["CoOccurrence"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["first", "second"], name="cooccurrence_once"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="cooccurrence_in_order"),
        )

    def __str__(self) -> str:
        return str(self.count)
