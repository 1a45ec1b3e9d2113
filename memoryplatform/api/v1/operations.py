"""`/v1/operations`: what the service is doing for a tenant, and what became of it."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.cursors import keep_filters
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.control import cancel, retry
from tenants.transactions import tenant_transaction


class OperationListInput(PageInput):
    status = serializers.ChoiceField(choices=Operation.Status.choices, required=False)
    kind = serializers.CharField(required=False, max_length=60)
    bank_id = serializers.CharField(required=False, max_length=200)


class ProgressOutput(Output):
    stage = serializers.CharField(help_text="What is being done right now.")
    processed = serializers.IntegerField()
    total = serializers.IntegerField()


class OperationErrorOutput(Output):
    code = serializers.CharField(source="error_code")
    detail = serializers.CharField(source="error_detail")


class OperationOutput(Output):
    operation_id = serializers.UUIDField(source="id")
    kind = serializers.CharField()
    status = serializers.ChoiceField(choices=Operation.Status.choices)
    bank_id = serializers.SerializerMethodField(help_text="Null where it concerns no bank.")
    progress = ProgressOutput(source="*")
    attempts = serializers.IntegerField()
    max_attempts = serializers.IntegerField()
    error = serializers.SerializerMethodField(help_text="Why the newest attempt failed.")
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_bank_id(self, operation: Operation) -> str | None:
        return operation.bank_key or None

    @extend_schema_field(OperationErrorOutput(allow_null=True))
    def get_error(self, operation: Operation) -> dict[str, Any] | None:
        return OperationErrorOutput(operation).data if operation.error_code else None


class OperationDetailOutput(OperationOutput):
    payload = serializers.JSONField(help_text="What the operation was asked to do.")
    result = serializers.JSONField(help_text="Null until it is completed.")


class OperationListOutput(Output):
    operations = OperationOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class OperationsView(TenantView):
    @extend_schema(
        operation_id="list_operations",
        summary="List operations, newest first",
        parameters=[OperationListInput],
        responses={200: OperationListOutput, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        query = OperationListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        wanted = query.validated_data
        with tenant_transaction(self.tenant_id):
            page = paginate(self.find(keep_filters(wanted)), wanted, of=self.tenant_id)
            return Response(OperationListOutput({"operations": page.rows, "next_cursor": page.next_cursor}).data)

    def find(self, wanted: dict[str, Any]) -> Any:
        if "bank_id" in wanted:
            wanted["bank_key"] = wanted.pop("bank_id")
        rows = Operation.objects.for_tenant(self.tenant_id).within(self.identity.banks)
        return rows.filter(**wanted)


class OperationView(TenantView):
    @extend_schema(
        operation_id="get_operation", summary="Get an operation", responses={200: OperationDetailOutput, **ERRORS}
    )
    def get(self, _request: Request, operation_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).within(self.identity.banks)
            operation = rows.filter(id=operation_id).first()
            if operation is None:
                raise OperationNotFound("There is no such operation.")
            return Response(OperationDetailOutput(operation).data)


class CancelView(TenantView):
    @extend_schema(
        operation_id="cancel_operation",
        summary="Cancel an unfinished operation",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: OperationOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, operation_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            operation = cancel(self.tenant_id, operation_id, actor=self.actor, banks=self.identity.banks)
            return Response(OperationOutput(operation).data)


class RetryView(TenantView):
    @extend_schema(
        operation_id="retry_operation",
        summary="Retry a failed or cancelled operation",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: OperationOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, operation_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            operation = retry(self.tenant_id, operation_id, actor=self.actor, banks=self.identity.banks)
            return Response(OperationOutput(operation).data)
