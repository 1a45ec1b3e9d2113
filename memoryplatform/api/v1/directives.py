"""`/v1/banks/{bank_id}/directives`: rules that the answers of a bank must follow."""

from typing import Any, ClassVar, get_args
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.fields import TagsField
from memoryplatform.api.v1.lists import ListInput, list_of, list_rows
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks import directives
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.models import Directive
from reflection.models.tagged import ScopeMatch, build_tags_filter

LONGEST = 10_000  # characters of a rule
STEEPEST = 32_767


class DirectiveChangeInput(Input):
    name = serializers.CharField(max_length=200, required=False)
    content = serializers.CharField(max_length=LONGEST, required=False, help_text="The rule, in words.")
    priority = serializers.IntegerField(
        min_value=-STEEPEST,
        max_value=STEEPEST,
        required=False,
        help_text="Higher priorities come first. Default: 0.",
    )
    is_active = serializers.BooleanField(required=False, help_text="Default: true.")
    tags = TagsField(
        required=False, help_text="Empty: applies to every question. Else to questions with matching tags."
    )

    def change(self) -> directives.DirectiveChange:
        given = dict(self.validated_data)
        if "tags" in given:
            given["tags"] = list(dict.fromkeys(given["tags"]))
        return directives.DirectiveChange(**given)


class DirectiveInput(DirectiveChangeInput):
    name = serializers.CharField(max_length=200)
    content = serializers.CharField(max_length=LONGEST, help_text="The rule, in words.")


class DirectiveListInput(ListInput):
    tags = TagsField(required=False, help_text="Only those with matching tags, and those without tags.")
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    is_active = serializers.BooleanField(required=False, allow_null=True, default=None)


class DirectiveOutput(Output):
    etag = staticmethod(directives.read_version)

    id = serializers.UUIDField()
    name = serializers.CharField()
    content = serializers.CharField()
    priority = serializers.IntegerField()
    is_active = serializers.BooleanField()
    tags = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DirectivesView(TenantView):
    @route("list_directives", "List directives, newest first", list_of(DirectiveOutput), query=DirectiveListInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            rows = Directive.objects.of_bank(bank)
            if wanted.get("tags"):
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            if wanted["is_active"] is not None:
                rows = rows.filter(is_active=wanted["is_active"])
            return list_rows(rows, wanted, of=bank.id)

    @idempotent
    @route("create_directive", "Create a directive", DirectiveOutput, 201, body=DirectiveInput)
    def post(self, bank_id: str, body: DirectiveInput) -> object:
        """The language model gets it as a rule that outranks memory and disposition. The built-in engine quotes
        memories and follows no directives.
        """
        return directives.create_directive(self.access, bank_id, body.change())


class DirectiveView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the response shows the resource

    @route("get_directive", "Get a directive", DirectiveOutput)
    def get(self, bank_id: str, directive_id: UUID) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return directives.get_directive(bank, directive_id)

    @route(
        "change_directive",
        "Change the given fields of a directive",
        DirectiveOutput,
        body=DirectiveChangeInput,
        if_match=True,
    )
    def patch(self, bank_id: str, directive_id: UUID, body: DirectiveChangeInput) -> object:
        return directives.change_directive(self.access, bank_id, directive_id, body.change(), expected=self.expected)

    @route("delete_directive", "Delete a directive", None, 204, if_match=True)
    def delete(self, bank_id: str, directive_id: UUID) -> None:
        directives.delete_directive(self.access, bank_id, directive_id, expected=self.expected)
