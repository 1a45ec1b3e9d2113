from tenants.models.accounts import Invitation, Member, Tenant, TenantErasure, User
from tenants.models.api_key import ApiKey
from tenants.models.ledgers import AuditEvent, UsageRecord
from tenants.models.webhook import Delivery, Webhook

__all__ = [
    "ApiKey",
    "AuditEvent",
    "Delivery",
    "Invitation",
    "Member",
    "Tenant",
    "TenantErasure",
    "UsageRecord",
    "User",
    "Webhook",
]
