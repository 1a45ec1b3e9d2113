from tenants.models.api_key import ApiKey
from tenants.models.audit_event import AuditEvent
from tenants.models.member import Member
from tenants.models.tenant import Tenant
from tenants.models.usage_record import UsageRecord
from tenants.models.user import User

__all__ = ["ApiKey", "AuditEvent", "Member", "Tenant", "UsageRecord", "User"]
