"""`/v1/audit-events` and `/v1/banks/{bank_id}/audit-events`: the audit log."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.openapi import ERRORS
from memoryplatform.api.pagination import Page, PageInput, keep_filters, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output, check_input
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.audit_log import AuditFilter, find_events, name_bank, write_csv
from memoryplatform.server.event_stream import SteppedStream
from tenants.models import AuditEvent
from tenants.transactions import let_go_of_connection, tenant_transaction

ADMIN = {"GET": "admin"}


class AuditFilterInput(Input):
    action = serializers.CharField(
        required=False, max_length=60, help_text="Such as bank.deleted, or bank for all that begin so."
    )
    actor = serializers.CharField(
        required=False, max_length=254, help_text="The prefix of an API key, or the id or e-mail address of a person."
    )
    target = serializers.CharField(
        required=False, max_length=300, help_text="The object, such as bank:support, or bank for every bank."
    )
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False, help_text="Exclusive.")


class AuditListInput(AuditFilterInput, PageInput):
    pass


class AuditEventOutput(Output):
    event_id = serializers.UUIDField(source="id")
    at = serializers.DateTimeField()
    action = serializers.CharField()
    target = serializers.CharField(help_text="The object of the action, such as bank:support.")
    bank_id = serializers.SerializerMethodField(help_text="Null if no bank is concerned.")
    api_key_prefix = serializers.CharField(help_text="Empty if the action used no key.")
    user_id = serializers.UUIDField(allow_null=True)
    user_email = serializers.SerializerMethodField()
    request_id = serializers.CharField()
    address = serializers.CharField(allow_null=True, help_text="IP address; null for the service itself.")
    detail = serializers.JSONField(help_text="Names and ids, no memory text.")

    def get_bank_id(self, event: AuditEvent) -> str | None:
        return name_bank(event)

    def get_user_email(self, event: AuditEvent) -> str | None:
        return event.user.email if event.user else None


class AuditListOutput(Output):
    events = AuditEventOutput(source="rows", many=True)
    next_cursor = serializers.CharField(allow_null=True)


def list_events(access: BankAccess, wanted: dict[str, Any], bank_id: str | None = None) -> Page:
    with tenant_transaction(access.tenant_id):
        rows = find_events(access, AuditFilter(**keep_filters(wanted)), bank_id=bank_id)
        return paginate(rows, wanted, of=f"{access.tenant_id}/{bank_id or ''}")


class AuditEventsView(TenantView):
    scopes = ADMIN

    @route("list_audit_events", "List audit events, newest first", AuditListOutput, query=AuditListInput)
    def get(self, wanted: dict[str, Any]) -> object:
        """A key that is limited to some banks sees the events of those banks."""
        return list_events(self.access, wanted)


class AuditCsvView(TenantView):
    scopes = ADMIN

    @extend_schema(
        operation_id="export_audit_events",
        summary="Export audit events as CSV, newest first",
        parameters=[AuditFilterInput],
        responses={(200, "text/csv"): OpenApiTypes.STR, **ERRORS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        query = check_input(AuditFilterInput, request.query_params)
        lines = write_csv(self.access, AuditFilter(**query.validated_data))
        let_go_of_connection()
        headers = {"Content-Disposition": 'attachment; filename="audit-log.csv"', "Cache-Control": "no-store"}
        return StreamingHttpResponse(
            SteppedStream((part.encode() for part in lines), sign_of_life=b""), content_type="text/csv", headers=headers
        )


class BankAuditEventsView(TenantView):
    scopes = ADMIN

    @route(
        "list_audit_events_of_bank",
        "List the audit events of a bank, newest first",
        AuditListOutput,
        query=AuditListInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        return list_events(self.access, wanted, bank_id)
