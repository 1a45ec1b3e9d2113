"""`/v1/banks/{bank_id}/directives`: rules that the answers of a bank must follow."""

from typing import ClassVar, get_args
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.labels import TagsField
from memoryplatform.api.v1.lists import ListInput, ListOutput, list_rows, read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.directives import (
    DirectiveChange,
    change_directive,
    create_directive,
    delete_directive,
    get_directive,
    read_version,
)
from memoryplatform.operations.banks.profile import get_bank
from reflection.models import Directive
from reflection.models.tagged import ScopeMatch, build_tags_filter
from tenants.transactions import tenant_transaction

LONGEST = 10_000  # characters of a rule
STEEPEST = 32_767


class DirectiveChangeInput(Input):
    name = serializers.CharField(max_length=200, required=False)
    content = serializers.CharField(max_length=LONGEST, required=False, help_text="What an answer must or must not do.")
    priority = serializers.IntegerField(
        min_value=-STEEPEST,
        max_value=STEEPEST,
        required=False,
        help_text="The higher one is told first; 0 if left out.",
    )
    is_active = serializers.BooleanField(required=False, help_text="True where left out.")
    tags = TagsField(required=False, help_text="Empty: for every question. Else for questions whose tags fit these.")

    def change(self) -> DirectiveChange:
        given = dict(self.validated_data)
        if "tags" in given:
            given["tags"] = list(dict.fromkeys(given["tags"]))
        return DirectiveChange(**given)


class DirectiveInput(DirectiveChangeInput):
    name = serializers.CharField(max_length=200)
    content = serializers.CharField(max_length=LONGEST, help_text="What an answer must or must not do.")


class DirectiveListInput(ListInput):
    tags = TagsField(required=False, help_text="Those that fit these tags; one without tags fits always.")
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    is_active = serializers.BooleanField(required=False, allow_null=True, default=None)


class DirectiveOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    content = serializers.CharField()
    priority = serializers.IntegerField()
    is_active = serializers.BooleanField()
    tags = serializers.ListField(child=serializers.CharField())
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DirectiveListOutput(ListOutput):
    items = DirectiveOutput(many=True)


def render(directive: Directive, status_code: int = status.HTTP_200_OK) -> Response:
    headers = {"ETag": f'"{read_version(directive)}"'}
    return Response(DirectiveOutput(directive).data, status=status_code, headers=headers)


class DirectivesView(TenantView):
    @extend_schema(
        operation_id="list_directives",
        summary="List directives, newest first",
        parameters=[DirectiveListInput],
        responses={200: DirectiveListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, DirectiveListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = Directive.objects.of_bank(bank)
            if wanted.get("tags"):
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            if wanted["is_active"] is not None:
                rows = rows.filter(is_active=wanted["is_active"])
            return Response(DirectiveListOutput(list_rows(rows, wanted, of=bank.id)).data)

    @extend_schema(
        operation_id="create_directive",
        summary="Create a directive",
        description="A language model is given it as a rule, above memory and disposition. The built-in engine, which "
        "repeats what memory says, can follow none.",
        parameters=[IDEMPOTENCY_KEY],
        request=DirectiveInput,
        responses={201: DirectiveOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = DirectiveInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(create_directive(self.access, bank_id, body.change()), status.HTTP_201_CREATED)


class DirectiveView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    @extend_schema(operation_id="get_directive", summary="Get a directive", responses={200: DirectiveOutput, **ERRORS})
    def get(self, _request: Request, bank_id: str, directive_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            return render(get_directive(get_bank(self.access, bank_id), directive_id))

    @extend_schema(
        operation_id="change_directive",
        summary="Change the given fields of a directive",
        parameters=[IF_MATCH],
        request=DirectiveChangeInput,
        responses={200: DirectiveOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str, directive_id: UUID) -> Response:
        body = DirectiveChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        expected = read_expected(request)
        return render(change_directive(self.access, bank_id, directive_id, body.change(), expected=expected))

    @extend_schema(
        operation_id="delete_directive",
        summary="Delete a directive",
        parameters=[IF_MATCH],
        responses={204: None, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str, directive_id: UUID) -> Response:
        delete_directive(self.access, bank_id, directive_id, expected=read_expected(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
