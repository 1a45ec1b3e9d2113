"""Bi-temporal validity, the same for units and relationships."""

from datetime import datetime
from typing import Self, TypeVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned

M = TypeVar("M", bound="Validity")


class ValidityQuerySet(OfBankQuerySet[M]):
    def current(self) -> Self:
        """Not expired, and without an end or with one in the future."""
        return self.filter(Q(valid_until=None) | Q(valid_until__gt=Now()), expired_at=None)

    def known_at(self, moment: datetime) -> Self:
        """Known then. A `valid_until` that was set after that moment counts as open."""
        return self.filter(Q(expired_at=None) | Q(expired_at__gt=moment), recorded_at__lte=moment)

    def true_at(self, moment: datetime) -> Self:
        """True in the world then, as far as we know now. A correction was never true."""
        begun = Q(valid_from=None) | Q(valid_from__lte=moment)
        not_over = Q(valid_until=None) | Q(valid_until__gt=moment)
        return self.filter(begun, not_over).exclude(close_reason=Validity.CloseReason.CORRECTION)


class Validity(TenantOwned):
    """True in the world from `valid_from` to `valid_until`; known to us from `recorded_at` to `expired_at`.

    A `valid_until` in the future is a scheduled end. The row stays current until then.
    """

    class CloseReason(models.TextChoices):
        UPDATE = "update"  # it was true, and is no more
        CORRECTION = "correction"  # it never was true
        SOURCE_REMOVED = "source_removed"

    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    recorded_at = models.DateTimeField()
    expired_at = models.DateTimeField(null=True, blank=True)
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
