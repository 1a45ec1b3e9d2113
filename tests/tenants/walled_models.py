"""Every table with row-level security, and the factory that makes a row in it."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.db.models import Model

from banks.models import Bank
from memoryplatform.operations.models import Erasure, IdempotencyRecord, LLMRequest, Operation
from tenants.models import (
    ApiKey,
    AuditEvent,
    ConnectedApp,
    Delivery,
    Invitation,
    Member,
    OwnLLM,
    PlanAssignment,
    QuotaNotice,
    StorageChange,
    Tenant,
    UsageDay,
    UsageRecord,
    Webhook,
)
from tenants.scoping import TenantOwned
from tests import factories
from tests.belief_factories import BELIEFS
from tests.memory_factories import MEMORY

FACTORIES: dict[type[Model], Callable[[Tenant], Any]] = {
    Tenant: lambda tenant: tenant,
    Member: factories.make_member,
    Invitation: factories.make_invitation,
    ApiKey: factories.make_api_key,
    ConnectedApp: factories.make_connected_app,
    OwnLLM: factories.make_own_llm,
    AuditEvent: factories.make_audit_event,
    UsageRecord: factories.make_usage_record,
    UsageDay: factories.make_usage_day,
    PlanAssignment: factories.make_plan_assignment,
    StorageChange: factories.make_storage_change,
    QuotaNotice: factories.make_quota_notice,
    Webhook: factories.make_webhook,
    Delivery: factories.make_delivery,
    Bank: factories.make_bank,
    Operation: factories.make_operation,
    Erasure: factories.make_erasure,
    LLMRequest: factories.make_llm_request,
    IdempotencyRecord: factories.make_idempotency_record,
    **MEMORY,
    **BELIEFS,
}


def walled_models() -> list[type[Model]]:
    return [model for model in apps.get_models() if issubclass(model, TenantOwned) or model is Tenant]
