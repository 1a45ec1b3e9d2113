"""Bi-temporal validity, the same for units and relationships."""

from datetime import datetime
from typing import Self, TypeVar

from django.db import models
from django.db.models import Q

from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned

M = TypeVar("M", bound="Validity")


class ValidityQuerySet(OfBankQuerySet[M]):
    def current(self) -> Self:
        """What we hold to be so now."""
        return self.filter(expired_at=None)

    def known_at(self, moment: datetime) -> Self:
        """What we held then. Its `valid_until`, if it was set after that moment, counts as open."""
        return self.filter(Q(expired_at=None) | Q(expired_at__gt=moment), recorded_at__lte=moment)

    def announced(self) -> Self:
        """What we hold to be so now, and know the end of: something else was told to begin then."""
        return self.filter(expired_at=None, announced_at__isnull=False)

    def true_at(self, moment: datetime) -> Self:
        """What was so in the world then, as far as we know now. What was never so, a correction, is not."""
        begun = Q(valid_from=None) | Q(valid_from__lte=moment)
        not_over = Q(valid_until=None) | Q(valid_until__gt=moment)
        return self.filter(begun, not_over).exclude(close_reason=Validity.CloseReason.CORRECTION)


class Validity(TenantOwned):
    """True in the world from `valid_from` to `valid_until`; known to us from `recorded_at` to `expired_at`.

    What an announced change will end is open until then: its `valid_until` and its successor are known, its
    `close_reason` is empty.
    """

    class CloseReason(models.TextChoices):
        UPDATE = "update"  # it was so, and is no more
        CORRECTION = "correction"  # it never was so
        SOURCE_REMOVED = "source_removed"

    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField()
    expired_at = models.DateTimeField(null=True, blank=True)
    announced_at = models.DateTimeField(
        null=True, blank=True, help_text="When its end was told, of one that then lay ahead; it is open until that day."
    )
    close_reason = models.CharField(max_length=16, blank=True, choices=CloseReason)

    class Meta:
        abstract = True


def validity_constraints(name: str) -> tuple[models.CheckConstraint, ...]:
    return (
        models.CheckConstraint(
            condition=Q(valid_from=None) | Q(valid_until=None) | Q(valid_until__gte=models.F("valid_from")),
            name=f"{name}_valid_from_first",
        ),
        models.CheckConstraint(
            condition=Q(expired_at=None, close_reason="") | (Q(expired_at__isnull=False) & ~Q(close_reason="")),
            name=f"{name}_closed_for_a_reason",
        ),
    )
