from dataclasses import replace
from typing import Any, ClassVar, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import LessThanOrEqual
from pgvector.django import VectorField

from banks.enums import Mode
from banks.extraction_settings import (
    LONGEST_LANGUAGE,
    LONGEST_LEAVE_OUT,
    LONGEST_MISSION,
    MOST_CATEGORIES,
    MOST_TYPES,
    ExtractionSettings,
)
from banks.hindsight_settings import read_chunk_size, read_custom_instructions
from protection.modes import MODES, write_off
from tenants.scoping import TenantOwned, TenantQuerySet

VECTOR_COLUMNS = ("embedding", "second_embedding")  # by slot
CENTROID_COLUMNS = ("centroid", "second_centroid")
TRAIT = (MinValueValidator(1), MaxValueValidator(5))
SHARE = (MinValueValidator(0.0), MaxValueValidator(1.0))


class BankQuerySet(TenantQuerySet["Bank"]):
    def live(self) -> Self:
        """Without banks under deletion: for every caller they are gone already."""
        return self.filter(deleted_at=None)

    def within(self, bank_ids: frozenset[str] | None) -> Self:
        """Only these banks, for a key that is limited to some."""
        return self if bank_ids is None else self.filter(bank_id__in=bank_ids)


BankManager = models.Manager.from_queryset(BankQuerySet)


def limit_list(name: str, most: int) -> models.CheckConstraint:
    """Refuses a longer list, and JSON that is no list."""
    length = Func(F(name), function="jsonb_array_length", output_field=models.IntegerField())
    return models.CheckConstraint(condition=LessThanOrEqual(length, most), name=f"bank_{name}_in_range")


class VectorChange(models.TextChoices):
    """The state of a change of the embedding model."""

    FILLING = "filling"  # the vectors of the next model are being made
    READY = "ready"  # they are complete and wait for the switch
    SWITCHED = "switched"  # the next model is in use, and the vectors of the former one are kept
    CLEARING = "clearing"  # the vectors that are not in use are being deleted


class Bank(TenantOwned):
    """One agent's memory: a profile, and everything the agent has retained under it."""

    bank_id = models.CharField(max_length=200, help_text="The caller's own name for it, unique within the tenant.")
    name = models.CharField(max_length=200)
    background = models.TextField(blank=True, help_text="Who the agent is, in the first person.")
    learns_background = models.BooleanField(
        db_default=False, help_text="Whether statements about the agent are merged into its background."
    )
    skepticism = models.SmallIntegerField(default=3, validators=TRAIT)
    literalism = models.SmallIntegerField(default=3, validators=TRAIT)
    empathy = models.SmallIntegerField(default=3, validators=TRAIT)
    bias_strength = models.FloatField(default=0.5, validators=SHARE)
    opinion_step = models.FloatField(
        null=True, blank=True, help_text="How far one piece of evidence moves an opinion; empty: the deployment's."
    )
    opinion_reach = models.FloatField(
        null=True, blank=True, help_text="Cosine from which a fact bears on an opinion; empty: the deployment's."
    )
    extraction_mode = models.CharField(max_length=12, choices=Mode, default=Mode.NARRATIVE)
    retain_mission = models.CharField(
        max_length=LONGEST_MISSION,
        blank=True,
        default="",
        db_default="",
        help_text="The purpose of the memory, and what the model that extracts facts looks for.",
    )
    leave_out = models.CharField(
        max_length=LONGEST_LEAVE_OUT, blank=True, default="", db_default="", help_text="What must not be stored."
    )
    retain_language = models.CharField(
        max_length=LONGEST_LANGUAGE,
        blank=True,
        default="",
        db_default="",
        help_text="The language of extracted facts; empty: the language of the passage.",
    )
    entity_types = models.JSONField(
        blank=True, default=list, db_default=[], help_text="Types of entities, each with a name and a description."
    )
    entity_types_closed = models.BooleanField(
        default=False, db_default=False, help_text="Whether the types replace the kinds of the service."
    )
    categories = models.JSONField(
        blank=True, default=list, db_default=[], help_text="Categories of facts, each with a name and a description."
    )
    protection = models.JSONField(
        default=write_off,
        db_default=write_off(),
        help_text="The mode of each family of findings in texts that come in, and the kinds of personal data.",
    )
    hindsight_settings = models.JSONField(
        blank=True, default=dict, db_default={}, help_text="Settings that only Hindsight has, under its names."
    )
    embedding_model = models.CharField(max_length=200, help_text="The model of the vectors in use.")
    vector_slot = models.SmallIntegerField(
        default=0, db_default=0, help_text="The column of the vectors in use: 0 or 1. The other one is for a change."
    )
    other_embedding_model = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="The model of the vectors in the other column: the next or the former one.",
    )
    vector_change = models.CharField(
        max_length=10, choices=VectorChange, blank=True, default="", db_default="", help_text="Empty: none under way."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="When its deletion began.")
    held_since = models.DateTimeField(null=True, blank=True, help_text="Under legal hold since then.")
    hold_reason = models.CharField(max_length=500, blank=True, db_default="", default="")

    objects: ClassVar[BankManager["Bank"]] = BankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "bank_id"], condition=Q(deleted_at=None), name="bank_id_unique"),
            models.CheckConstraint(
                condition=Q(skepticism__range=(1, 5)) & Q(literalism__range=(1, 5)) & Q(empathy__range=(1, 5)),
                name="bank_disposition_in_range",
            ),
            models.CheckConstraint(condition=Q(bias_strength__range=(0.0, 1.0)), name="bank_bias_in_range"),
            models.CheckConstraint(
                condition=Q(opinion_step=None) | Q(opinion_step__gt=0.0, opinion_step__lt=1.0),
                name="bank_opinion_step_in_range",
            ),
            models.CheckConstraint(
                condition=Q(opinion_reach=None) | Q(opinion_reach__range=(0.0, 1.0)), name="bank_opinion_reach_in_range"
            ),
            models.CheckConstraint(
                condition=Q(extraction_mode__in=["narrative", "calibrated", "verbatim"]), name="bank_mode_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    protection__secrets__in=MODES,
                    protection__personal_data__in=MODES,
                    protection__instructions__in=MODES,
                ),
                name="bank_protection_known",
            ),
            limit_list("entity_types", MOST_TYPES),
            limit_list("categories", MOST_CATEGORIES),
            models.CheckConstraint(condition=Q(vector_slot__in=[0, 1]), name="bank_vector_slot_known"),
            models.CheckConstraint(
                condition=Q(vector_change="", other_embedding_model="")
                | (Q(vector_change__in=VectorChange.values) & ~Q(other_embedding_model="")),
                name="bank_vector_change_with_model",
            ),
            models.CheckConstraint(
                condition=Q(held_since=None) | (Q(deleted_at=None) & ~Q(hold_reason="")), name="bank_held_for_a_reason"
            ),
        )

    def __str__(self) -> str:
        return self.bank_id

    @property
    def vector_column(self) -> str:
        return VECTOR_COLUMNS[self.vector_slot]

    @property
    def other_vector_column(self) -> str:
        return VECTOR_COLUMNS[1 - self.vector_slot]

    @property
    def centroid_column(self) -> str:
        return CENTROID_COLUMNS[self.vector_slot]

    @property
    def legal_hold(self) -> dict[str, Any] | None:
        return {"reason": self.hold_reason, "since": self.held_since} if self.held_since else None

    @property
    def extraction_settings(self) -> ExtractionSettings:
        settings = ExtractionSettings.read({name: getattr(self, name) for name in ExtractionSettings.names()})
        parts = (settings.retain_mission, read_custom_instructions(self.hindsight_settings))
        return replace(settings, retain_mission="\n".join(part for part in parts if part))

    @property
    def chunk_size(self) -> int | None:
        return read_chunk_size(self.hindsight_settings)

    @property
    def disposition(self) -> dict[str, Any]:
        return {"skepticism": self.skepticism, "literalism": self.literalism, "empathy": self.empathy}


class HasVector(TenantOwned):
    """A row with a text that has a vector, in the column of its bank's slot.

    Every writer of a text uses `place_vector` or `set_vector`: the vector in the other column belongs to the former
    text then, so it is emptied, and `banks.embedding_change` makes it again.
    """

    embedding = VectorField(null=True)
    second_embedding = VectorField(null=True)

    class Meta:
        abstract = True

    def vector_in(self, bank: Bank) -> Any:
        return getattr(self, bank.vector_column)

    def set_vector(self, bank: Bank, vector: Any) -> None:
        for name, value in place_vector(bank, vector).items():
            setattr(self, name, value)


def place_vector(bank: Bank, vector: Any) -> dict[str, Any]:
    """The values of both columns for a new text."""
    return {bank.vector_column: vector, bank.other_vector_column: None}
