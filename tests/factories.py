"""Plain functions that make rows, each inside its tenant's transaction."""

from datetime import date, timedelta
from typing import Any

from allauth.idp.oidc.models import Client
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.models import Erasure, IdempotencyRecord, LLMRequest, Operation
from memoryplatform.operations.running.kind_names import SEND_MAIL
from memoryplatform.operations.running.perform import perform
from providers.usage import Usage
from tenants.audit import SYSTEM, record
from tenants.identifiers import uuid7
from tenants.keys import make_key
from tenants.memberships import found_tenant
from tenants.models import (
    ApiKey,
    AuditEvent,
    ConnectedApp,
    Delivery,
    Invitation,
    Member,
    OwnLLM,
    Plan,
    PlanAssignment,
    Quota,
    QuotaNotice,
    StorageChange,
    Tenant,
    UsageDay,
    UsageRecord,
    User,
    Webhook,
)
from tenants.plans import forget_limits
from tenants.scoping import PLATFORM_CONNECTION
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage


def make_user(email: str | None = None, **fields: Any) -> User:
    return User.objects.create_user(email or f"{uuid7().hex}@example.com", "a-long-enough-password", **fields)


def make_tenant(slug: str | None = None) -> Tenant:
    slug = slug or f"t-{uuid7().hex}"
    return found_tenant(name=slug.title(), slug=slug, owner=make_user())


def make_member(tenant: Tenant, **fields: Any) -> Member:
    with tenant_transaction(tenant.id):
        return Member.objects.for_tenant(tenant.id).create(**{"user": make_user(), "role": "member"} | fields)


def perform_mails(tenant: Tenant) -> None:
    """Sends the mails that wait, as a worker does."""
    with tenant_transaction(tenant.id):
        waiting = Operation.objects.for_tenant(tenant.id).filter(kind=SEND_MAIL, status="pending").order_by("id")
        ids = list(waiting.values_list("id", flat=True))
    for one in ids:
        perform(tenant.id, one)


def make_invitation(tenant: Tenant) -> Invitation:
    given = {"email": f"{uuid7().hex}@example.com", "role": "member", "digest": uuid7().bytes}
    with tenant_transaction(tenant.id):
        return Invitation.objects.for_tenant(tenant.id).create(expires_at=timezone.now() + timedelta(days=7), **given)


def make_api_key(tenant: Tenant, **fields: Any) -> ApiKey:
    return make_key_with_text(tenant, **fields)[0]


def make_connected_app(tenant: Tenant) -> ConnectedApp:
    member, client = make_member(tenant), Client.objects.create(name="Notes")
    with tenant_transaction(tenant.id):
        rows = ConnectedApp.objects.for_tenant(tenant.id)
        return rows.create(client=client, user_id=member.user_id, member=member, scopes=["read"])


def make_own_llm(tenant: Tenant, **fields: Any) -> OwnLLM:
    given = {"base_url": "https://llm.example.com/v1", "model": "m", "api_key": "sk-own", "checked_at": timezone.now()}
    with tenant_transaction(tenant.id):
        return OwnLLM.objects.for_tenant(tenant.id).create(**given | fields)


def make_llm_request(tenant: Tenant, **fields: Any) -> LLMRequest:
    given = {"task": "reflect", "service": "llm", "model": "m", "outcome": "ok", "milliseconds": 900}
    given |= {"input_tokens": 40, "output_tokens": 8, "calls": 1, "estimated": False}
    given |= {"prompt": '[{"role": "user", "content": "Who is Ana?"}]', "answer": "A friend."}
    with tenant_transaction(tenant.id):
        return LLMRequest.objects.for_tenant(tenant.id).create(**given | fields)


def make_key_with_text(tenant: Tenant, **fields: Any) -> tuple[ApiKey, str]:
    with tenant_transaction(tenant.id):
        return make_key(tenant.id, **{"name": "test", "scopes": ["read", "write"]} | fields)


def make_bank(tenant: Tenant, **fields: Any) -> Bank:
    bank_id = fields.pop("bank_id", f"bank-{uuid7().hex}")
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).create(
            **{"bank_id": bank_id, "name": bank_id, "embedding_model": "test"} | fields
        )


def make_operation(tenant: Tenant, **fields: Any) -> Operation:
    with tenant_transaction(tenant.id):
        bank = fields.get("bank")
        usual = {"kind": "test", "max_attempts": 3, "bank_key": bank.bank_id if bank else ""}
        return Operation.objects.for_tenant(tenant.id).create(**usual | fields)


def make_erasure(tenant: Tenant, **fields: Any) -> Erasure:
    usual = {"kind": "bank", "bank_key": "support", "requested_by": "api_key:test"}
    with tenant_transaction(tenant.id):
        return Erasure.objects.for_tenant(tenant.id).create(**usual | fields)


def make_idempotency_record(tenant: Tenant) -> IdempotencyRecord:
    with tenant_transaction(tenant.id):
        return IdempotencyRecord.objects.for_tenant(tenant.id).create(
            key=uuid7().hex, fingerprint="0" * 64, claimed_at=timezone.now()
        )


def make_audit_event(tenant: Tenant) -> AuditEvent:
    with tenant_transaction(tenant.id):
        record(tenant.id, actor=SYSTEM, action="test.done", target="test")
        return AuditEvent.objects.for_tenant(tenant.id).latest("id")


def make_usage_record(tenant: Tenant) -> UsageRecord:
    with tenant_transaction(tenant.id):
        record_usage(tenant.id, UsageRecord.Kind.RETAIN, Usage(input_tokens=7, calls=1))
        return UsageRecord.objects.for_tenant(tenant.id).latest("id")


def make_usage_day(tenant: Tenant) -> UsageDay:
    with tenant_transaction(tenant.id):
        return UsageDay.objects.for_tenant(tenant.id).create(day=date(2026, 1, 1), kind="recall", requests=1)


def make_plan_assignment(tenant: Tenant) -> PlanAssignment:
    with tenant_transaction(tenant.id):
        return PlanAssignment.objects.for_tenant(tenant.id).create(plan=Plan.objects.get(is_default=True))


def assign_limits(tenant: Tenant, **limits: int | None) -> PlanAssignment:
    """The tenant has these limits and no others. Commits, as staff do in the admin."""
    rows = PlanAssignment.objects.using(PLATFORM_CONNECTION).for_tenant(tenant.id)
    rows.delete()
    assignment = rows.create(plan=Plan.objects.using(PLATFORM_CONNECTION).get(is_default=True), **limits)
    forget_limits()
    return assignment


def make_storage_change(tenant: Tenant) -> StorageChange:
    with tenant_transaction(tenant.id):
        return StorageChange.objects.for_tenant(tenant.id).create(day=date(2026, 1, 1), memories=1)


def make_quota_notice(tenant: Tenant) -> QuotaNotice:
    with tenant_transaction(tenant.id):
        return QuotaNotice.objects.for_tenant(tenant.id).create(quota=Quota.MEMORIES, level=80, month=date(2026, 1, 1))


def make_webhook(tenant: Tenant, **fields: Any) -> Webhook:
    usual = {"url": "https://example.com/told", "events": ["bank.deleted"], "secret": "whsec_c2VjcmV0"}
    with tenant_transaction(tenant.id):
        return Webhook.objects.for_tenant(tenant.id).create(**usual | fields)


def make_delivery(tenant: Tenant, **fields: Any) -> Delivery:
    webhook = fields.pop("webhook", None) or make_webhook(tenant)
    usual = {"webhook": webhook, "event_id": uuid7(), "event": "bank.deleted"}
    with tenant_transaction(tenant.id):
        return Delivery.objects.for_tenant(tenant.id).create(**usual | fields)
