from tenants.models.accounts import Invitation, Member, Tenant, User
from tenants.models.api_key import ApiKey, ConnectedApp
from tenants.models.ledgers import AuditEvent, UsageRecord
from tenants.models.own_llm import OwnLLM
from tenants.models.webhook import Delivery, Webhook

__all__ = [
    "ApiKey",
    "AuditEvent",
    "ConnectedApp",
    "Delivery",
    "Invitation",
    "Member",
    "OwnLLM",
    "Tenant",
    "UsageRecord",
    "User",
    "Webhook",
]
