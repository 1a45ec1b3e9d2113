"""`/aliases` of a bank: further ids that it answers to."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import BankAlias
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, read_body
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_new_bank_id
from memoryplatform.operations.banks import aliases


class AliasInput(Input):
    alias = serializers.CharField(trim_whitespace=False, validators=[check_new_bank_id])
    primary = serializers.BooleanField(default=False)


class PrimaryInput(Input):
    primary = serializers.BooleanField()


class HindsightAliasesView(HindsightView):
    def get(self, _request: Request, bank_id: str) -> object:
        return describe_aliases(bank_id, aliases.show_aliases(self.access, bank_id))

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        wanted = read_body(AliasInput, request.data).validated_data
        rows = aliases.create_alias(self.access, bank_id, wanted["alias"], is_primary=wanted["primary"])
        return Response(describe_aliases(bank_id, rows), status=status.HTTP_201_CREATED)


class HindsightAliasView(HindsightView):
    def patch(self, request: Request, bank_id: str, alias: str) -> object:
        is_primary = read_body(PrimaryInput, request.data).validated_data["primary"]
        rows = aliases.set_primary_alias(self.access, bank_id, alias, is_primary=is_primary)
        return describe_aliases(bank_id, rows)

    def delete(self, _request: Request, bank_id: str, alias: str) -> object:
        return describe_aliases(bank_id, aliases.delete_alias(self.access, bank_id, alias))


def describe_aliases(bank_id: str, rows: Sequence[BankAlias]) -> dict[str, Any]:
    return {"bank_id": bank_id, "aliases": [{"alias": row.alias, "primary": row.is_primary} for row in rows]}
