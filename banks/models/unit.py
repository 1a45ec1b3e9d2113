"""Memory units, with their sources, labels, links and history.

Tags and metadata are rows: under row-level security only comparisons by equality can use an index.
"""

from typing import ClassVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Q, When

from banks.enums import Kind, Network
from banks.models.archive import Chunk, Episode, Message
from banks.models.bank import Bank, HasVector
from banks.models.validity import Validity, ValidityQuerySet, validity_constraints
from banks.rendering import render_text
from tenants.scoping import TenantManager, TenantOwned

# When a unit happened, or else was said. Under row-level security Postgres treats COALESCE as a leak and uses no index
# over it. A CASE works.
HAPPENED_AT = Case(When(occurred_start=None, then="mentioned_at"), default="occurred_start")


class UnitQuerySet(ValidityQuerySet["MemoryUnit"]):
    def read_rendered_texts(self) -> dict[UUID, str]:
        """By id, without the rest of the rows."""
        return {
            unit_id: render_text(speaker, text) for unit_id, speaker, text in self.values_list("id", "speaker", "text")
        }


UnitManager = models.Manager.from_queryset(UnitQuerySet)


class MemoryUnit(HasVector, Validity):
    """One memory (formula 1): a text that can be read alone, its vector, its times, and the network it belongs to."""

    class Review(models.TextChoices):
        APPROVED = "approved"
        PINNED = "pinned"
        RETIRED = "retired"

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    network = models.CharField(max_length=12, choices=Network)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.CONVERSATION)
    text = models.TextField(help_text="The words as they were said, or as a model wrote them.")
    speaker = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="Who said the text; empty if nobody did."
    )
    role = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="The speaker's role: user, assistant or tool."
    )
    search_text = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Read by the indexes in place of the rendered text; never shown.",
    )
    content_hash = models.BinaryField(max_length=16, help_text="Of the rendered text without case and final full stop.")
    tags_hash = models.BinaryField(max_length=16, db_default=b"", help_text="Of its tags; empty without tags.")
    dimensions = models.JSONField(default=dict, help_text="what, when, where, who and why, where they are known.")
    context = models.TextField(blank=True)
    occurred_start = models.DateTimeField(null=True)
    occurred_end = models.DateTimeField(null=True, help_text="Exclusive.")
    mentioned_at = models.DateTimeField()
    confidence = models.FloatField(null=True)
    review = models.CharField(max_length=10, blank=True, choices=Review)
    flags = ArrayField(
        models.CharField(max_length=20),
        blank=True,
        default=list,
        db_default=[],
        help_text="Families of findings in its text or its source: secrets, personal_data, instructions.",
    )
    importance = models.FloatField(default=0.5)
    access_count = models.PositiveIntegerField(default=0)
    proof_count = models.PositiveIntegerField(default=1)
    faded_at = models.DateTimeField(null=True, help_text="Ranked lower since then: it is old and was never recalled.")
    number = models.PositiveIntegerField(null=True, help_text="Its number in the text index; null until it is indexed.")
    superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[UnitManager["MemoryUnit"]] = UnitManager()

    class Meta:
        constraints = (
            *validity_constraints("unit"),
            # Two workers with the same fact at once make one unit. The same words under other tags are another unit,
            # because other callers may see it.
            models.UniqueConstraint(
                fields=["bank", "network", "content_hash", "tags_hash"],
                condition=Q(expired_at=None),
                name="unit_told_once",
            ),
            models.UniqueConstraint(fields=["bank", "number"], name="unit_number_once"),
            models.CheckConstraint(
                condition=Q(network__in=["world", "experience", "opinion", "observation"]), name="unit_network_known"
            ),
            models.CheckConstraint(
                # A check accepts a comparison with null, so the condition asks for null explicitly.
                condition=Q(network="opinion", confidence__isnull=False, confidence__range=(0.0, 1.0))
                | (~Q(network="opinion") & Q(confidence=None)),
                name="unit_confidence_on_opinions",
            ),
            models.CheckConstraint(
                condition=Q(occurred_end=None) | Q(occurred_start__isnull=False, occurred_end__gte=F("occurred_start")),
                name="unit_start_first",
            ),
            models.CheckConstraint(condition=Q(importance__range=(0.0, 1.0)), name="unit_importance_in_range"),
            models.CheckConstraint(
                condition=Q(superseded_by=None) | ~Q(superseded_by=F("id")), name="unit_not_its_own_successor"
            ),
        )
        indexes = (
            # Lists, vector scans, neighbours. Counts read only the index: row-level security compares the tenant.
            models.Index(
                fields=["bank", "-mentioned_at", "recorded_at"],
                include=[
                    "tenant",
                    "network",
                    "expired_at",
                    "valid_from",
                    "valid_until",
                    "occurred_start",
                    "close_reason",
                ],
                name="unit_by_mention_and_record",
            ),
            models.Index(fields=["bank", "occurred_start", "occurred_end"], name="unit_by_occurrence_and_end"),
            # closed units whose words are said again
            models.Index(
                fields=["bank", "content_hash"], condition=Q(expired_at__isnull=False), name="unit_closed_by_words"
            ),
            # scheduled ends: few of all
            models.Index(
                fields=["bank", "valid_until"],
                condition=Q(valid_until__isnull=False, expired_at=None),
                name="unit_with_scheduled_end",
            ),
            models.Index(F("bank"), HAPPENED_AT, F("id"), name="unit_by_time"),  # neighbours in time, in their order
        )

    def __str__(self) -> str:
        return self.rendered_text[:80]

    @property
    def rendered_text(self) -> str:
        """The text as the API and prompts show it: "Caroline: I picked up my new bike."."""
        return render_text(self.speaker, self.text)


class UnitSource(TenantOwned):
    """A source of a unit: some characters of a message or chunk, an episode, or another unit."""

    class Role(models.TextChoices):
        SAID = "said"
        IN_PART = "in_part"  # said, with fewer details than the unit
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


class UnitChange(TenantOwned):
    """One step of a unit's history. Every change of a unit writes one. It is deleted with its unit."""

    class Action(models.TextChoices):
        EDITED = "edited"
        MERGED = "merged"  # the fact was restated or merged with another
        INVALIDATED = "invalidated"  # by hand
        SUPERSEDED = "superseded"  # by another unit
        SCHEDULED = "scheduled"  # another unit will supersede it on a known date
        RESTORED = "restored"  # opened again, or its scheduled end cancelled

    unit = models.ForeignKey(MemoryUnit, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    action = models.CharField(max_length=12, choices=Action)
    before = models.JSONField(default=dict, help_text="The former values of the changed fields.")
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=200, help_text="The name of an API key or an engine.")
    reason = models.CharField(max_length=500, blank=True)
    changed_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["UnitChange"]] = TenantManager()

    def __str__(self) -> str:
        return f"{self.action} {self.unit_id}"
