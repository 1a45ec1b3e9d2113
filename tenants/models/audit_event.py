from typing import ClassVar

from django.db import models

from tenants.models.user import User
from tenants.scoping import TenantManager, TenantOwned


class AuditEvent(TenantOwned):
    """Who did what to which thing, and when. Append-only; holds names and ids, never memory text."""

    at = models.DateTimeField(auto_now_add=True)
    action = models.CharField(max_length=60, help_text="Such as bank.deleted or api_key.revoked.")
    target = models.CharField(max_length=300, help_text="What it was done to, such as bank:support.")
    api_key_prefix = models.CharField(max_length=16, blank=True)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    request_id = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict)

    objects: ClassVar[TenantManager["AuditEvent"]] = TenantManager()

    class Meta:
        indexes = (models.Index(fields=["tenant", "-id"], name="audit_newest_first"),)  # the admin and the audit log

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
