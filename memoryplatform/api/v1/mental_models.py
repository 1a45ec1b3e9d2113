"""`/v1/banks/{bank_id}/mental-models`: questions that are kept with the answer that memory gave last."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput
from memoryplatform.api.v1.lists import ListInput, list_rows, read_query
from memoryplatform.api.v1.mental_model_shapes import (
    MentalModelChangeInput,
    MentalModelCreatedOutput,
    MentalModelInput,
    MentalModelListInput,
    MentalModelListOutput,
    MentalModelOutput,
    MentalModelRevisionListOutput,
    ModelRefreshedOutput,
    ModelRefreshInput,
)
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.mental_models.keeping import (
    ShownModel,
    change_model,
    clear_model,
    create_model,
    delete_model,
    get_model,
    read_version,
    refresh_model,
    show_models,
)
from reflection.models import MentalModel, MentalModelRevision
from reflection.models.tagged import build_tags_filter
from tenants.transactions import tenant_transaction


def tag(shown: ShownModel) -> dict[str, str]:
    """The ETag stands for what can be edited: a new content is no reason to refuse an editor."""
    return {"ETag": f'"{read_version(shown.model)}"'}


def render(shown: ShownModel) -> Response:
    return Response(MentalModelOutput(shown).data, headers=tag(shown))


class MentalModelsView(TenantView):
    @extend_schema(
        operation_id="list_mental_models",
        summary="List mental models, newest first",
        parameters=[MentalModelListInput],
        responses={200: MentalModelListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, MentalModelListInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = MentalModel.objects.of_bank(bank)
            if wanted.get("tags"):
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            listed = list_rows(rows, wanted, of=bank.id)
            shown = show_models(bank, listed.items)
            return Response(MentalModelListOutput(vars(listed) | {"items": shown}).data)

    @extend_schema(
        operation_id="create_mental_model",
        summary="Create a mental model",
        description="Its content is written in the background, as reflect answers; without a language model it is the "
        "sentences of memory that come nearest.",
        parameters=[IDEMPOTENCY_KEY],
        request=MentalModelInput,
        responses={201: MentalModelCreatedOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        body = MentalModelInput(data=request.data)
        body.is_valid(raise_exception=True)
        shown, operation = create_model(self.access, bank_id, body.validated_data.get("id"), body.change())
        answer = MentalModelCreatedOutput({**vars(shown), "operation_id": operation.id}).data
        return Response(answer, status=status.HTTP_201_CREATED, headers=tag(shown))


class MentalModelView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"PATCH": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="get_mental_model", summary="Get a mental model", responses={200: MentalModelOutput, **ERRORS}
    )
    def get(self, _request: Request, bank_id: str, model_id: str) -> Response:
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            (shown,) = show_models(bank, [get_model(bank, model_id)])
            return render(shown)

    @extend_schema(
        operation_id="change_mental_model",
        summary="Change the given fields of a mental model",
        description="The content stays until the next refresh.",
        parameters=[IF_MATCH],
        request=MentalModelChangeInput,
        responses={200: MentalModelOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, bank_id: str, model_id: str) -> Response:
        body = MentalModelChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(change_model(self.access, bank_id, model_id, body.change(), expected=read_expected(request)))

    @extend_schema(
        operation_id="delete_mental_model",
        summary="Delete a mental model with its history",
        parameters=[IF_MATCH],
        responses={204: None, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, bank_id: str, model_id: str) -> Response:
        delete_model(self.access, bank_id, model_id, expected=read_expected(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class RefreshModelView(TenantView):
    @extend_schema(
        operation_id="refresh_mental_model",
        summary="Write a mental model anew",
        parameters=[IDEMPOTENCY_KEY],
        request=ModelRefreshInput,
        responses={202: ModelRefreshedOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request, bank_id: str, model_id: str) -> Response:
        body = ModelRefreshInput(data=request.data)
        body.is_valid(raise_exception=True)
        operation = refresh_model(self.access, bank_id, model_id, mode=body.validated_data.get("mode", ""))
        return Response(ModelRefreshedOutput({"operation_id": operation.id}).data, status=status.HTTP_202_ACCEPTED)


class ClearModelView(TenantView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @extend_schema(
        operation_id="clear_mental_model",
        summary="Empty a mental model",
        description="Earlier contents stay in its history.",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: MentalModelOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, bank_id: str, model_id: str) -> Response:
        return render(clear_model(self.access, bank_id, model_id))


class ModelRevisionsView(TenantView):
    @extend_schema(
        operation_id="list_mental_model_revisions",
        summary="List the contents that a mental model had, newest first",
        parameters=[ListInput],
        responses={200: MentalModelRevisionListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str, model_id: str) -> Response:
        wanted = read_query(request, ListInput)
        with tenant_transaction(self.tenant_id):
            model = get_model(get_bank(self.access, bank_id), model_id)
            rows = MentalModelRevision.objects.of_model(model)
            return Response(MentalModelRevisionListOutput(list_rows(rows, wanted, of=model.id)).data)
