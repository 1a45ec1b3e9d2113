"""`/v1/banks/{bank_id}/quarantine`: items of a retain that wait for a review."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.models import QuarantinedItem
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations import quarantine
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.protection import read_quarantined, walk_texts


class FindingOutput(Output):
    field = serializers.CharField(help_text="The place in the item, such as messages.0.content.")
    family = serializers.CharField(help_text="secrets, personal_data or instructions.")
    kind = serializers.CharField(help_text="Such as aws_access_key, email or instruction.")
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class FieldTextOutput(Output):
    field = serializers.CharField()
    text = serializers.CharField()


class QuarantinedItemOutput(Output):
    id = serializers.UUIDField()
    findings = FindingOutput(many=True)
    texts = serializers.SerializerMethodField(help_text="Every text of the item.")
    api_key_prefix = serializers.CharField(help_text="Of the key that sent it.")
    created_at = serializers.DateTimeField()

    @extend_schema_field(FieldTextOutput(many=True))
    def get_texts(self, row: QuarantinedItem) -> list[dict[str, str]]:
        return [{"field": field, "text": text} for field, text in walk_texts(read_quarantined(row))]


class ReleasedOutput(Output):
    operation_id = serializers.UUIDField(source="id", help_text="The retain of the item.")
    status = serializers.CharField()


class QuarantineView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"GET": "read write"}  # a key that only reads memories need not see these

    @route("list_quarantine", "List items in quarantine, newest first", list_of(QuarantinedItemOutput), query=ListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        """Nothing of them is in the memory. A release retains an item, a deletion removes it for good."""
        with bank_transaction(self.access, bank_id) as bank:
            return list_rows(QuarantinedItem.objects.of_bank(bank), wanted, of=bank.id)


class QuarantinedItemView(TenantView):
    @route("delete_quarantined_item", "Delete an item in quarantine for good", None, 204)
    def delete(self, bank_id: str, item_id: UUID) -> None:
        quarantine.delete_item(self.access, bank_id, item_id)


class ReleaseView(TenantView):
    quotes_memories = False

    @idempotent
    @route("release_quarantined_item", "Release an item from quarantine into the memory", ReleasedOutput)
    def post(self, bank_id: str, item_id: UUID) -> object:
        """The item is retained as it is, in the background."""
        return quarantine.release_item(self.access, bank_id, item_id)
