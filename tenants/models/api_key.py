from typing import ClassVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models

from tenants.models.accounts import Member, User
from tenants.scoping import TenantManager, TenantOwned

APP_PREFIX = "app_"  # no key has it: their prefixes are hexadecimal


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
    last_used_agent = models.CharField(max_length=200, blank=True, db_default="", help_text="The User-Agent header.")
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


class ConnectedApp(TenantOwned):
    """The consent of a member to an OAuth client. Its tokens are allauth's, found by client and person.

    The rights are those of the newest consent: a person has one open consent for a client, in one tenant. The row goes
    with the membership.
    """

    # The database itself cascades: whoever deletes a client sees no rows of tenants.
    client = models.ForeignKey(
        "allauth_idp_oidc.Client", on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    scopes = ArrayField(models.CharField(max_length=10))
    banks = ArrayField(models.CharField(max_length=200), null=True, help_text="Null: every bank.")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    last_used_address = models.GenericIPAddressField(null=True)
    last_used_agent = models.CharField(max_length=200, blank=True)

    objects: ClassVar[TenantManager["ConnectedApp"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["client", "user"], condition=models.Q(revoked_at=None), name="app_connected_once"
            ),
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "write"]) & models.Q(scopes__len__gt=0),
                name="app_scopes_known",
            ),
        )

    @property
    def prefix(self) -> str:
        """The name of the app in the audit log and in histories, as a key has a prefix."""
        return name_app(self.id)

    def __str__(self) -> str:
        return f"{self.client_id} ({self.prefix})"


def name_app(app_id: UUID) -> str:
    return f"{APP_PREFIX}{app_id.hex[-12:]}"
