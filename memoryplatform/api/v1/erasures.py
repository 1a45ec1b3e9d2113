"""`/v1/erasures`: words are removed from everywhere, with a preview and a receipt. `/legal-hold` prevents it."""

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, page_of, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.account import AccountView, MemberAuthentication
from memoryplatform.api.v1.banks import BankOutput
from memoryplatform.operations.account import deletion
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.banks import legal_hold
from memoryplatform.operations.erasures.targets import Kind, Target
from memoryplatform.operations.erasures.use_cases import find_erasures, get_erasure, preview, request_erasure
from memoryplatform.operations.models import Erasure, Operation
from tenants.transactions import tenant_transaction


class TargetInput(Input):
    kind = serializers.ChoiceField(choices=Kind.choices)
    id = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=500,
        default="",
        trim_whitespace=False,
        help_text="Of the memory, message or entity; your own id of a document or a thread. Not for a bank or tenant.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["kind"] in {Kind.MEMORY, Kind.MESSAGE, Kind.ENTITY}:
            attrs["id"] = str(serializers.UUIDField().run_validation(attrs["id"]))
        elif attrs["kind"] == Kind.DOCUMENT and not attrs["id"]:
            raise serializers.ValidationError({"id": ["A document needs its id."]})
        elif "\x00" in attrs["id"]:
            raise serializers.ValidationError({"id": ["Must not contain a null byte."]})
        return attrs


class ErasureInput(Input):
    bank_id = serializers.CharField(max_length=200, required=False, default="", help_text="Needed but for a tenant.")
    target = TargetInput()
    dry_run = serializers.BooleanField(default=False, help_text="Only show what the erasure would remove.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["bank_id"] and attrs["target"]["kind"] != Kind.TENANT:
            raise serializers.ValidationError({"bank_id": ["This field is required."]})
        return attrs

    @property
    def wanted(self) -> Target:
        given = self.validated_data
        return Target(Kind(given["target"]["kind"]), given["bank_id"], given["target"]["id"])


class ErasureOutput(Output):
    erasure_id = serializers.UUIDField(source="id")
    kind = serializers.ChoiceField(choices=Kind.choices)
    bank_id = serializers.CharField(source="bank_key")
    target_id = serializers.UUIDField(allow_null=True, help_text="The id of the row; null for a thread.")
    status = serializers.SerializerMethodField(help_text="Of the operation: pending, processing, completed or failed.")
    operation_id = serializers.UUIDField(allow_null=True)
    requested_by = serializers.CharField(help_text="The prefix of an API key, or the id of a person.")
    requested_at = serializers.DateTimeField()
    completed_at = serializers.DateTimeField(allow_null=True)
    erased = serializers.DictField(child=serializers.IntegerField(), help_text="Erased rows by table.")
    rewritten = serializers.DictField(
        child=serializers.IntegerField(), help_text="Rows that stay without the erased words, by table."
    )
    sha256 = serializers.CharField(
        help_text="Of the erased ids: the lines `table id`, in the order of both. Empty until completion."
    )

    def get_status(self, erasure: Erasure) -> str:
        return erasure.operation.status if erasure.operation else Operation.Status.COMPLETED


class PreviewOutput(Output):
    erased = serializers.DictField(child=serializers.IntegerField(), help_text="Rows that would go, by table.")
    rewritten = serializers.DictField(
        child=serializers.IntegerField(), help_text="Rows that would stay without the erased words, by table."
    )
    samples = serializers.ListField(child=serializers.CharField(), help_text="The beginnings of some erased texts.")


class ErasuresView(AccountView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # a preview shows words
    quotes_memories = True

    @route("list_erasures", "List erasures, newest first", page_of("erasures", ErasureOutput), query=PageInput)
    def get(self, wanted: dict[str, Any]) -> object:
        with tenant_transaction(self.tenant_id):
            return paginate(find_erasures(self.access), wanted, of=self.tenant_id)

    @idempotent
    @route("request_erasure", "Erase words from everywhere", ErasureOutput, 202, body=ErasureInput)
    def post(self, body: ErasureInput) -> object:
        """Removes a memory with its source words, a message, a thread, a document, an entity with all its mentions, or
        a bank, and everything that was derived from them. With `dry_run` the answer is a preview with the status 200:
        `erased`, `rewritten` and `samples`. A bank under legal hold is refused (409). A tenant is erased by the session
        of an owner, after seven days, as by `DELETE /v1/account`.
        """
        if body.wanted.kind == Kind.BANK and isinstance(self.request.successful_authenticator, MemberAuthentication):
            self.caller.require(Right.MANAGE)  # as on the page that deletes it
        if body.wanted.kind == Kind.TENANT:
            return self.erase_tenant(is_preview=body.validated_data["dry_run"])
        if body.validated_data["dry_run"]:
            return Response(PreviewOutput(preview(self.access, body.wanted)).data)
        return request_erasure(self.access, body.wanted)

    def erase_tenant(self, *, is_preview: bool) -> object:
        if is_preview:
            counts = deletion.preview_deletion(self.caller).counts
            return Response(PreviewOutput({"erased": counts, "rewritten": {}, "samples": []}).data)
        with tenant_transaction(self.tenant_id):
            deletion.request_deletion(self.caller)
            return deletion.find_deletion(self.caller)


class ErasureView(AccountView):
    @route("get_erasure", "Get an erasure with its receipt", ErasureOutput)
    def get(self, erasure_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            return get_erasure(self.access, erasure_id)


class LegalHoldInput(Input):
    reason = serializers.CharField(max_length=500)


class LegalHoldView(AccountView):
    scopes: ClassVar[dict[str, str]] = {"PUT": "admin", "DELETE": "admin"}

    @route("hold_bank", "Put a bank under legal hold", BankOutput, body=LegalHoldInput)
    def put(self, bank_id: str, body: LegalHoldInput) -> object:
        """Until the hold is lifted, nothing of the bank can be erased, deleted or expire (409 `legal_hold`)."""
        return legal_hold.set_hold(self.access, bank_id, body.validated_data["reason"])

    @route("release_bank", "Lift the legal hold of a bank", BankOutput)
    def delete(self, bank_id: str) -> object:
        return legal_hold.lift_hold(self.access, bank_id)
