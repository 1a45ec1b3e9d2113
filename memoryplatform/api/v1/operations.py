"""`/v1/operations`: background work, its progress and its result."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, keep_filters, page_of, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.submit import cancel, retry
from tenants.transactions import tenant_transaction


class OperationListInput(PageInput):
    status = serializers.ChoiceField(choices=Operation.Status.choices, required=False)
    kind = serializers.CharField(required=False, max_length=60)
    bank_id = serializers.CharField(required=False, max_length=200)


class ProgressOutput(Output):
    stage = serializers.CharField(help_text="The present stage of the work.")
    processed = serializers.IntegerField()
    total = serializers.IntegerField()


class OperationErrorOutput(Output):
    code = serializers.CharField(source="error_code")
    detail = serializers.CharField(source="error_detail")


class OperationOutput(Output):
    operation_id = serializers.UUIDField(source="id")
    kind = serializers.CharField()
    status = serializers.ChoiceField(choices=Operation.Status.choices)
    bank_id = serializers.SerializerMethodField(help_text="Null if no bank is concerned.")
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


class UsageOutput(Output):
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    calls = serializers.IntegerField()


class OperationDetailOutput(OperationOutput):
    payload = serializers.JSONField(help_text="The input of the operation.")
    result = serializers.JSONField(help_text="Null until completion.")
    usage = UsageOutput(
        allow_null=True, help_text="Of all attempts, failed ones included. Null while no model was called."
    )


class OperationsView(TenantView):
    @route(
        "list_operations",
        "List operations, newest first",
        page_of("operations", OperationOutput),
        query=OperationListInput,
    )
    def get(self, wanted: dict[str, Any]) -> object:
        with tenant_transaction(self.tenant_id):
            return paginate(self.find(keep_filters(wanted)), wanted, of=self.tenant_id)

    def find(self, wanted: dict[str, Any]) -> Any:
        if "bank_id" in wanted:
            wanted["bank_key"] = wanted.pop("bank_id")
        rows = Operation.objects.for_tenant(self.tenant_id).within(self.identity.banks)
        return rows.filter(**wanted)


class OperationView(TenantView):
    @route("get_operation", "Get an operation", OperationDetailOutput)
    def get(self, operation_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            rows = Operation.objects.for_tenant(self.tenant_id).within(self.identity.banks)
            operation = rows.filter(id=operation_id).first()
            if operation is None:
                raise OperationNotFound("There is no such operation.")
            operation.read_usage()
            return operation


class CancelView(TenantView):
    @idempotent
    @route("cancel_operation", "Cancel an unfinished operation", OperationOutput)
    def post(self, operation_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            return cancel(self.tenant_id, operation_id, actor=self.actor, banks=self.identity.banks)


class RetryView(TenantView):
    @idempotent
    @route("retry_operation", "Retry a failed or cancelled operation", OperationOutput)
    def post(self, operation_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            return retry(self.tenant_id, operation_id, actor=self.actor, banks=self.identity.banks)
