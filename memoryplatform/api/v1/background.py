"""`/v1/banks/{bank_id}/background`: who the agent is, and the history of that."""

from typing import Any, ClassVar

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.background import get_number
from reflection.models import BackgroundRevision
from tenants.transactions import tenant_transaction


class BackgroundInput(Input):
    content = serializers.CharField(
        max_length=20_000,
        help_text="Statements about the agent. A language model merges them into the background, in the first person. "
        "Without one they are appended verbatim.",
    )


class BackgroundOutput(Output):
    background = serializers.CharField()
    revision = serializers.IntegerField(help_text="The number of changes so far.")


class BackgroundMergedOutput(BackgroundOutput):
    changed = serializers.BooleanField(help_text="False where the background says it already.")
    engine = serializers.CharField(
        help_text="The model that merged it; `builtin` where the content was appended verbatim."
    )


class BackgroundRevisionOutput(Output):
    number = serializers.IntegerField()
    before = serializers.CharField()
    after = serializers.CharField()
    snippet = serializers.CharField(help_text="The merged text; empty if the background was set as a whole.")
    engine = serializers.CharField()
    actor = serializers.CharField()
    created_at = serializers.DateTimeField()


class BackgroundView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the response shows the resource

    @route("get_background", "Get the background", BackgroundOutput)
    def get(self, bank_id: str) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return {"background": bank.background, "revision": get_number(bank)}

    @idempotent_operation
    @route(
        "merge_background",
        "Merge statements into the background",
        BackgroundMergedOutput,
        body=BackgroundInput,
        if_match=True,
    )
    def post(self, bank_id: str, body: BackgroundInput) -> object:
        """Where the two conflict, the new statement wins; details add up. Without a language model the content is
        appended as a line of its own. To set the background outright, change the bank. `If-Match` takes the ETag of the
        bank.
        """
        merged = merge_background(self.access, bank_id, body.validated_data["content"], expected=self.expected)
        if merged.refused:
            raise serializers.ValidationError({"content": [merged.refused]})
        with tenant_transaction(self.tenant_id):
            number = get_number(merged.bank)
        outcome = {"changed": merged.revision is not None, "engine": merged.engine}
        return {"background": merged.bank.background, "revision": number, **outcome}


class BackgroundRevisionsView(TenantView):
    @route(
        "list_background_revisions",
        "List the changes of the background, newest first",
        list_of(BackgroundRevisionOutput),
        query=ListInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return list_rows(BackgroundRevision.objects.of_bank(bank), wanted, of=bank.id)
