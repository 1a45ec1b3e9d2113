from tenants.models.accounts import Invitation, Member, Tenant, TenantErasure, User
from tenants.models.api_key import ApiKey, ConnectedApp
from tenants.models.ledgers import AuditEvent, UsageDay, UsageRecord
from tenants.models.own_llm import OwnLLM
from tenants.models.plans import Plan, PlanAssignment, Quota, QuotaNotice, StorageChange
from tenants.models.webhook import Delivery, Webhook

__all__ = [
    "ApiKey",
    "AuditEvent",
    "ConnectedApp",
    "Delivery",
    "Invitation",
    "Member",
    "OwnLLM",
    "Plan",
    "PlanAssignment",
    "Quota",
    "QuotaNotice",
    "StorageChange",
    "Tenant",
    "TenantErasure",
    "UsageDay",
    "UsageRecord",
    "User",
    "Webhook",
]
