from tenants.models.api_key import ApiKey
from tenants.models.audit_event import AuditEvent
from tenants.models.member import Member
from tenants.models.tenant import Tenant
from tenants.models.usage_record import UsageRecord
from tenants.models.user import User
from tenants.models.webhook import Delivery, Webhook

__all__ = ["ApiKey", "AuditEvent", "Delivery", "Member", "Tenant", "UsageRecord", "User", "Webhook"]
