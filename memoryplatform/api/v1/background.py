"""`/v1/banks/{bank_id}/background`: who the agent is, and how that came about."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.profile import get_bank
from reflection.background.revisions import get_number
from reflection.models import BackgroundRevision
from tenants.transactions import tenant_transaction


class BackgroundInput(Input):
    content = serializers.CharField(
        max_length=20_000,
        help_text='News of who the agent is. "You were born in Texas" becomes "I was born in Texas". '
        "Without a language model at most 800 characters.",
    )


class BackgroundOutput(Output):
    background = serializers.CharField()
    revision = serializers.IntegerField(help_text="How often it was changed so far.")


class BackgroundMergedOutput(BackgroundOutput):
    changed = serializers.BooleanField(help_text="False where all of it was known.")
    engine = serializers.CharField(help_text="What merged it: a model's name, or `builtin`.")


class BackgroundRevisionOutput(Output):
    number = serializers.IntegerField()
    before = serializers.CharField()
    after = serializers.CharField()
    snippet = serializers.CharField(help_text="What was merged in; empty where the text was set.")
    engine = serializers.CharField()
    actor = serializers.CharField()
    created_at = serializers.DateTimeField()


class BackgroundRevisionListOutput(ListOutput):
    items = BackgroundRevisionOutput(many=True)


class BackgroundView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="get_background", summary="Get the background", responses={200: BackgroundOutput, **ERRORS}
    )
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            return Response(BackgroundOutput({"background": bank.background, "revision": get_number(bank)}).data)

    @extend_schema(
        operation_id="merge_background",
        summary="Merge news into the background",
        description="Where the two conflict, the news wins; details add up. To set it outright, change the bank. "
        "`If-Match` takes the ETag of the bank.",
        parameters=[IDEMPOTENCY_KEY, IF_MATCH],
        request=BackgroundInput,
        responses={200: BackgroundMergedOutput, **ERRORS, 412: ErrorOutput},
    )
    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        body = BackgroundInput(data=request.data)
        body.is_valid(raise_exception=True)
        content, expected = body.validated_data["content"], read_expected(request)
        merged = merge_background(self.access, bank_id, content, expected=expected)
        if merged.refused:
            raise serializers.ValidationError({"content": [merged.refused]})
        with tenant_transaction(self.tenant_id):
            number = get_number(merged.bank)
        answer = {"changed": merged.revision is not None, "engine": merged.engine}
        return Response(
            BackgroundMergedOutput({"background": merged.bank.background, "revision": number, **answer}).data
        )


class BackgroundRevisionsView(TenantView):
    @extend_schema(
        operation_id="list_background_revisions",
        summary="List the changes of the background, newest first",
        parameters=[ListInput],
        responses={200: BackgroundRevisionListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, ListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            listed = list_rows(BackgroundRevision.objects.of_bank(bank), wanted, of=bank.id)
            return Response(BackgroundRevisionListOutput(listed).data)
