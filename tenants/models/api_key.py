from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tenants.models.accounts import User
from tenants.scoping import TenantManager, TenantOwned


class ApiKey(TenantOwned):
    """The credential of a program that acts for a tenant. Only the HMAC of the secret is stored."""

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"
        ADMIN = "admin"

    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.BinaryField(max_length=32)
    scopes = ArrayField(
        models.CharField(max_length=10, choices=Scope), help_text="read and write stand alone; admin includes both."
    )
    banks = ArrayField(
        models.CharField(max_length=200),
        null=True,
        blank=True,
        help_text="Ids of the banks that the key may touch; every bank where there is no list.",
    )
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_used_address = models.GenericIPAddressField(null=True, blank=True)
    last_used_agent = models.CharField(max_length=200, blank=True, help_text="The User-Agent header.")
    replaced_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        help_text="The key that a rotation made; this one works until `expires_at`.",
    )

    objects: ClassVar[TenantManager["ApiKey"]] = TenantManager()

    class Meta:
        verbose_name = "API key"
        constraints = (
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "write", "admin"]) & models.Q(scopes__len__gt=0),
                name="api_key_scopes_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
