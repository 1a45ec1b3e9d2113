from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower

from tenants.identifiers import uuid7
from tenants.scoping import TenantManager, TenantOwned


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """The operator vouches for the address, so that the log-in asks for no verification."""
        from allauth.account.models import EmailAddress  # needs this model itself

        user = self.create_user(email, password, is_staff=True, is_superuser=True, **fields)
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an e-mail address. `Member` connects a person with any number of tenants."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True, error_messages={"unique": "A user with this e-mail address exists."})
    name = models.CharField(max_length=200, blank=True)
    is_staff = models.BooleanField(default=False, help_text="May enter the admin, which sees every tenant.")
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        constraints = (models.UniqueConstraint(Lower("email"), name="user_email_unique_ignoring_case"),)

    def __str__(self) -> str:
        return self.email


class Tenant(models.Model):
    """A customer. Row-level security covers this row too, by its own id."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    suspended_at = models.DateTimeField(
        null=True, blank=True, help_text="Keys and members of a suspended tenant are refused."
    )
    deletion_requested_at = models.DateTimeField(null=True, blank=True, editable=False)
    deletion_requested_by = models.ForeignKey(
        User, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    deletion_due_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When everything of the tenant is erased."
    )
    llm_log_days = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Days that LLM requests are kept. 0: none is logged."
    )
    mem0_project = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        blank=True,
        editable=False,
        help_text="Instructions, categories and profile settings that mem0's clients gave their project.",
    )

    class Meta:
        constraints = (
            models.CheckConstraint(condition=models.Q(llm_log_days__lte=90), name="tenant_llm_log_days_range"),
        )

    def __str__(self) -> str:
        return self.name


class TenantErasure(models.Model):
    """The receipt of an erased tenant: counts and a digest, no content. A platform table, because the tenant is gone.

    Append-only: the service may insert and read.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    erased_tenant = models.UUIDField(unique=True)
    requested_by = models.UUIDField(null=True, help_text="The owner who asked for it.")
    requested_at = models.DateTimeField()
    erased_at = models.DateTimeField(auto_now_add=True)
    counts = models.JSONField(help_text="Erased rows by table.")
    sha256 = models.CharField(max_length=64, help_text="Of the erased ids.")

    def __str__(self) -> str:
        return str(self.erased_tenant)


class Member(TenantOwned):
    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        MEMBER = "member"
        VIEWER = "viewer"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[TenantManager["Member"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tenant", "user"], name="member_once_per_tenant"),
            models.CheckConstraint(
                condition=models.Q(role__in=["owner", "admin", "member", "viewer"]), name="member_role_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} ({self.role})"


class Invitation(TenantOwned):
    """An offer of membership, sent by e-mail. Only the SHA-256 of its token is stored; it can be accepted once."""

    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Member.Role)
    digest = models.BinaryField(max_length=32, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    objects: ClassVar[TenantManager["Invitation"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                "tenant", Lower("email"), condition=models.Q(accepted_at=None, revoked_at=None), name="invited_once"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=["owner", "admin", "member", "viewer"]), name="invitation_role_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"
