"""`/directives` of a bank: rules that its answers must follow."""

from typing import Any, get_args
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.v1.directives import DirectiveChangeInput, DirectiveInput, DirectiveOutput
from memoryplatform.api.v1.fields import TagsField
from memoryplatform.operations.banks import directives
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.models import Directive
from reflection.models.tagged import ScopeMatch, build_tags_filter


class DirectiveListInput(hindsight_view.OffsetInput):
    tags = TagsField(required=False, default=list)
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    active_only = serializers.BooleanField(default=True)


class HindsightDirectivesView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(DirectiveListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            rows = Directive.objects.of_bank(bank).by_priority()
            if wanted["tags"]:
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            if wanted["active_only"]:
                rows = rows.active()
            items = [describe_directive(one, bank_id) for one in hindsight_view.cut_page(rows, wanted)]
            return hindsight_view.describe_page(items, rows.count(), wanted)

    @idempotent
    def post(self, request: Request, bank_id: str) -> object:
        body = hindsight_view.read_body(DirectiveInput, request.data)
        return describe_directive(directives.create_directive(self.access, bank_id, body.change()), bank_id)


class HindsightDirectiveView(hindsight_view.HindsightView):
    def get(self, _request: Request, bank_id: str, directive_id: UUID) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            return describe_directive(directives.get_directive(bank, directive_id), bank_id)

    def patch(self, request: Request, bank_id: str, directive_id: UUID) -> object:
        change, expected = hindsight_view.read_body(DirectiveChangeInput, request.data).change(), self.expected
        directive = directives.change_directive(self.access, bank_id, directive_id, change, expected=expected)
        return describe_directive(directive, bank_id)

    def delete(self, request: Request, bank_id: str, directive_id: UUID) -> object:
        directives.delete_directive(self.access, bank_id, directive_id, expected=self.expected)
        return {"status": "deleted"}


def describe_directive(directive: Directive, bank_id: str) -> dict[str, Any]:
    return DirectiveOutput.describe(directive) | {"bank_id": bank_id}
