"""`/v1/banks`: the profiles of an agent's memories."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Bank
from banks.words import Mode
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, NumberField, Output
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import (
    BankChange,
    change_bank,
    create_bank,
    delete_bank_for_good,
    find_banks,
    get_bank,
    read_version,
)
from tenants.bank_ids import WORDS, is_bank_id
from tenants.transactions import tenant_transaction


def check_bank_id(value: str) -> None:
    if not is_bank_id(value):
        raise serializers.ValidationError(f"Must be {WORDS}.")


class DispositionInput(Input):
    skepticism = serializers.IntegerField(min_value=1, max_value=5, required=False)
    literalism = serializers.IntegerField(min_value=1, max_value=5, required=False)
    empathy = serializers.IntegerField(min_value=1, max_value=5, required=False)


class BankChangeInput(Input):
    name = serializers.CharField(max_length=200, required=False)
    background = serializers.CharField(
        max_length=20_000, allow_blank=True, required=False, help_text="Who the agent is, in the first person."
    )
    learns_background = serializers.BooleanField(
        required=False, help_text="Whether what people tell the agent about itself is merged into the background."
    )
    disposition = DispositionInput(required=False)
    bias_strength = NumberField(
        min_value=0.0, max_value=1.0, required=False, help_text="0 answers objectively, 1 is openly opinionated."
    )
    opinion_step = NumberField(
        min_value=0.001,
        max_value=0.999,
        required=False,
        allow_null=True,
        help_text="How far one piece of evidence moves an opinion. Null: as the deployment has it.",
    )
    opinion_reach = NumberField(
        min_value=0.0,
        max_value=1.0,
        required=False,
        allow_null=True,
        help_text="Cosine from which a fact bears on an opinion. Null: as the deployment has it.",
    )
    extraction_mode = serializers.ChoiceField(
        choices=Mode.choices,
        required=False,
        help_text="Comprehensive facts, only what was not foreseen, or each exchange as it was said.",
    )

    def change(self) -> BankChange:
        given = dict(self.validated_data)
        given.pop("bank_id", None)
        cleared = frozenset(name for name, value in given.items() if value is None)
        return BankChange(**given.pop("disposition", {}), **given, cleared=cleared)


class BankCreateInput(BankChangeInput):
    bank_id = serializers.CharField(
        required=False,
        trim_whitespace=False,
        validators=[check_bank_id],
        help_text="Your own name for the bank; made up where left out.",
    )


class BankListInput(PageInput):
    q = serializers.CharField(required=False, max_length=200, help_text="Part of the id or the name.")


class DispositionOutput(Output):
    skepticism = serializers.IntegerField(min_value=1, max_value=5)
    literalism = serializers.IntegerField(min_value=1, max_value=5)
    empathy = serializers.IntegerField(min_value=1, max_value=5)


class BankOutput(Output):
    bank_id = serializers.CharField()
    name = serializers.CharField()
    background = serializers.CharField()
    learns_background = serializers.BooleanField()
    disposition = DispositionOutput()
    bias_strength = serializers.FloatField()
    opinion_step = serializers.FloatField(allow_null=True, help_text="Null: the deployment's.")
    opinion_reach = serializers.FloatField(allow_null=True, help_text="Null: the deployment's.")
    extraction_mode = serializers.ChoiceField(choices=Mode.choices)
    embedding_model = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class BankListOutput(Output):
    banks = BankOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class BankDeletedOutput(Output):
    success = serializers.BooleanField()
    message = serializers.CharField()
    operation_id = serializers.UUIDField(help_text="The operation that removes the rows; its result is the receipt.")


def render(bank: Bank, code: int = status.HTTP_200_OK) -> Response:
    return Response(BankOutput(bank).data, status=code, headers={"ETag": f'"{read_version(bank)}"'})


class BanksView(TenantView):
    quotes_memories = False

    @extend_schema(
        operation_id="list_banks",
        summary="List banks, newest first",
        parameters=[BankListInput],
        responses={200: BankListOutput, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        query = BankListInput(data=request.query_params)
        query.is_valid(raise_exception=True)
        with tenant_transaction(self.tenant_id):
            banks = find_banks(self.access, words=query.validated_data.get("q", ""))
            page = paginate(banks, query.validated_data, of=self.tenant_id)
        return Response(BankListOutput({"banks": page.rows, "next_cursor": page.next_cursor}).data)

    @extend_schema(
        operation_id="create_bank",
        summary="Create a bank",
        parameters=[IDEMPOTENCY_KEY],
        request=BankCreateInput,
        responses={201: BankOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = BankCreateInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(create_from(self.access, body), status.HTTP_201_CREATED)


class BankView(TenantView):
    @extend_schema(operation_id="get_bank", summary="Get a bank", responses={200: BankOutput, **ERRORS})
    def get(self, _request: Request, bank_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            return render(get_bank(self.access, bank_id))

    @extend_schema(
        operation_id="change_bank",
        summary="Change the given fields of a bank",
        parameters=[IF_MATCH],
        request=BankChangeInput,
        responses={200: BankOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str) -> Response:
        body = BankChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(change_bank(self.access, bank_id, body.change(), expected=read_expected(request)))

    @extend_schema(
        operation_id="delete_bank",
        summary="Delete a bank with all it holds",
        description="The bank is gone for every caller at once; its rows are removed in the background.",
        parameters=[IF_MATCH],
        responses={200: BankDeletedOutput, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str) -> Response:
        operation = delete_bank_for_good(self.access, bank_id, expected=read_expected(request))
        answer = {"success": True, "message": f"Bank '{bank_id}' is deleted.", "operation_id": operation.id}
        return Response(BankDeletedOutput(answer).data)


def create_from(access: BankAccess, body: BankCreateInput) -> Bank:
    """Of a checked body."""
    bank_id = body.validated_data.get("bank_id")
    if access.banks is not None and bank_id not in access.banks:
        raise PermissionDenied("This API key is limited to some banks, and this is none of them.")
    return create_bank(access, bank_id, body.change())
