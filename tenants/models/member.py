from typing import ClassVar

from django.db import models

from tenants.models.user import User
from tenants.scoping import TenantManager, TenantOwned


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
