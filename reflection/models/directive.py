from typing import ClassVar, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models

from banks.models import Bank
from banks.models.of_bank import OfBankQuerySet
from tenants.scoping import TenantOwned


class DirectiveQuerySet(OfBankQuerySet["Directive"]):
    def active(self) -> Self:
        return self.filter(is_active=True)

    def by_priority(self) -> Self:
        """The highest first; of the same, the older one."""
        return self.order_by("-priority", "id")


DirectiveManager = models.Manager.from_queryset(DirectiveQuerySet)


class Directive(TenantOwned):
    """A rule that the answers of a bank must follow. It is no memory: nothing recalls it, and nothing outweighs it."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    name = models.CharField(max_length=200)
    content = models.TextField()
    priority = models.SmallIntegerField(default=0, help_text="The higher one is told first.")
    is_active = models.BooleanField(default=True)
    tags = ArrayField(
        models.CharField(max_length=200),
        default=list,
        help_text="Empty: for every answer. Else for questions with fitting tags.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[DirectiveManager["Directive"]] = DirectiveManager()

    class Meta:
        indexes = (models.Index(fields=["bank", "id"], name="directives_of_bank"),)  # every answer reads them

    def __str__(self) -> str:
        return self.name
