"""`/directives` of a bank: rules that its answers must follow."""

from typing import Any, get_args
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.v1.directives import DirectiveChangeInput, DirectiveInput
from memoryplatform.api.v1.labels import TagsField
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.banks.directives import (
    change_directive,
    create_directive,
    delete_directive,
    get_directive,
)
from memoryplatform.operations.banks.profile import get_bank
from reflection.models import Directive
from reflection.models.tagged import ScopeMatch, build_tags_filter
from tenants.transactions import tenant_transaction


class DirectiveListInput(OffsetInput):
    tags = TagsField(required=False, default=list)
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    active_only = serializers.BooleanField(default=True)


class HindsightDirectivesView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(DirectiveListInput, request)
        with tenant_transaction(self.tenant_id):
            rows = Directive.objects.of_bank(get_bank(self.access, bank_id)).by_priority()
            if wanted["tags"]:
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            if wanted["active_only"]:
                rows = rows.active()
            items = [describe(one, bank_id) for one in cut_page(rows, wanted)]
            return Response(describe_page(items, rows.count(), wanted))

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = read_body(DirectiveInput, request.data)
        return Response(describe(create_directive(self.access, bank_id, body.change()), bank_id))


class HindsightDirectiveView(HindsightView):
    def get(self, _request: Request, bank_id: str, directive_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            return Response(describe(get_directive(get_bank(self.access, bank_id), directive_id), bank_id))

    def patch(self, request: Request, bank_id: str, directive_id: UUID) -> Response:
        change, expected = read_body(DirectiveChangeInput, request.data).change(), read_expected(request)
        directive = change_directive(self.access, bank_id, directive_id, change, expected=expected)
        return Response(describe(directive, bank_id))

    def delete(self, request: Request, bank_id: str, directive_id: UUID) -> Response:
        delete_directive(self.access, bank_id, directive_id, expected=read_expected(request))
        return Response({"status": "deleted"})


def describe(directive: Directive, bank_id: str) -> dict[str, Any]:
    return {
        "id": str(directive.id),
        "bank_id": bank_id,
        "name": directive.name,
        "content": directive.content,
        "priority": directive.priority,
        "is_active": directive.is_active,
        "tags": directive.tags,
        "created_at": directive.created_at,
        "updated_at": directive.updated_at,
    }
