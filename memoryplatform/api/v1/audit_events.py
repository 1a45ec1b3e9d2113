"""`/v1/audit-events` and `/v1/banks/{bank_id}/audit-events`: who did what, and when."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.cursors import keep_filters
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import read_query
from memoryplatform.api.views import TenantView
from memoryplatform.operations.audit_log import AuditFilter, find_events, name_bank
from tenants.models import AuditEvent
from tenants.transactions import tenant_transaction

ADMIN = {"GET": "admin"}


class AuditListInput(PageInput):
    action = serializers.CharField(required=False, max_length=60, help_text="Such as bank.deleted.")
    actor = serializers.CharField(
        required=False, max_length=64, help_text="The prefix of an API key, or the id of a person."
    )
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False, help_text="Exclusive.")


class AuditEventOutput(Output):
    event_id = serializers.UUIDField(source="id")
    at = serializers.DateTimeField()
    action = serializers.CharField()
    target = serializers.CharField(help_text="What it was done to, such as bank:support.")
    bank_id = serializers.SerializerMethodField(help_text="Null where it concerns no bank.")
    api_key_prefix = serializers.CharField(help_text="Empty where no key did it.")
    user_id = serializers.UUIDField(allow_null=True)
    user_email = serializers.SerializerMethodField()
    request_id = serializers.CharField()
    detail = serializers.JSONField(help_text="Names and ids, no memory text.")

    def get_bank_id(self, event: AuditEvent) -> str | None:
        return name_bank(event)

    def get_user_email(self, event: AuditEvent) -> str | None:
        return event.user.email if event.user else None


class AuditListOutput(Output):
    events = AuditEventOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


def list_events(view: TenantView, request: Request, bank_id: str | None) -> Response:
    wanted: dict[str, Any] = read_query(request, AuditListInput)
    with tenant_transaction(view.tenant_id):
        rows = find_events(view.access, AuditFilter(**keep_filters(wanted)), bank_id=bank_id)
        page = paginate(rows, wanted, of=f"{view.tenant_id}/{bank_id or ''}")
        return Response(AuditListOutput({"events": page.rows, "next_cursor": page.next_cursor}).data)


class AuditEventsView(TenantView):
    scopes = ADMIN

    @extend_schema(
        operation_id="list_audit_events",
        summary="List what was done, newest first",
        description="A key that is limited to some banks sees what was done to those.",
        parameters=[AuditListInput],
        responses={200: AuditListOutput, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        return list_events(self, request, None)


class BankAuditEventsView(TenantView):
    scopes = ADMIN

    @extend_schema(
        operation_id="list_audit_events_of_bank",
        summary="List what was done to a bank, newest first",
        parameters=[AuditListInput],
        responses={200: AuditListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        return list_events(self, request, bank_id)
