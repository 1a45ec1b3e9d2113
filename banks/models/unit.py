from typing import ClassVar

from django.db import models
from django.db.models import Case, F, Q, When
from pgvector.django import VectorField

from banks.models.bank import Bank
from banks.models.validity import Validity, ValidityQuerySet, validity_constraints
from banks.words import Kind, Network

# When a unit happened, or else was said. A CASE: under row-level security Postgres takes COALESCE for a leak, and then
# an index over it serves no condition.
HAPPENED_AT = Case(When(occurred_start=None, then="mentioned_at"), default="occurred_start")


class UnitQuerySet(ValidityQuerySet["MemoryUnit"]):
    pass


UnitManager = models.Manager.from_queryset(UnitQuerySet)


class MemoryUnit(Validity):
    """One memory (formula 1): a text that can be read alone, its vector, its times, and the network it belongs to."""

    class Review(models.TextChoices):
        APPROVED = "approved"
        PINNED = "pinned"
        RETIRED = "retired"

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    network = models.CharField(max_length=12, choices=Network)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.CONVERSATION)
    text = models.TextField()
    content_hash = models.BinaryField(max_length=16, help_text="Of the text without case and punctuation.")
    tags_hash = models.BinaryField(max_length=16, db_default=b"", help_text="Of its tags; empty where it has none.")
    dimensions = models.JSONField(default=dict, help_text="what, when, where, who and why, where they are known.")
    context = models.TextField(blank=True)
    embedding = VectorField(null=True)
    occurred_start = models.DateTimeField(null=True)
    occurred_end = models.DateTimeField(null=True, help_text="Exclusive.")
    mentioned_at = models.DateTimeField()
    confidence = models.FloatField(null=True)
    review = models.CharField(max_length=10, blank=True, choices=Review)
    importance = models.FloatField(default=0.5)
    access_count = models.PositiveIntegerField(default=0)
    proof_count = models.PositiveIntegerField(default=1)
    faded_at = models.DateTimeField(null=True, help_text="Ranked lower since: it is old, and nobody recalled it.")
    number = models.PositiveIntegerField(null=True, help_text="Its name in the text index; null until it is there.")
    superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[UnitManager["MemoryUnit"]] = UnitManager()

    class Meta:
        constraints = (
            *validity_constraints("unit"),
            # Two workers that hear the same at once make one unit. What was told under other tags is another: who may
            # see the one may not see what came with the other.
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
                # A comparison with null is neither true nor false, and a check lets that pass: so it asks for null.
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
            models.Index(fields=["bank", "-mentioned_at"], name="unit_by_mention"),  # lists, vector scans, neighbours
            models.Index(fields=["bank", "occurred_start"], name="unit_by_occurrence"),  # time windows
            # what was so once, when it is heard again
            models.Index(
                fields=["bank", "content_hash"], condition=Q(expired_at__isnull=False), name="unit_closed_by_words"
            ),
            # those whose announced end may have come: few of all
            models.Index(
                fields=["bank", "valid_until"],
                condition=Q(announced_at__isnull=False, expired_at=None),
                name="unit_announced",
            ),
            models.Index(F("bank"), HAPPENED_AT, F("id"), name="unit_by_time"),  # neighbours in time, in their order
        )

    def __str__(self) -> str:
        return self.text[:80]
