"""`/mental-models` of a bank: questions that are kept with the answer that memory gave last."""

from typing import Any, get_args

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.labels import TagsField
from memoryplatform.api.v1.mental_model_shapes import MentalModelChangeInput, MentalModelInput, ModelRefreshInput
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.mental_models.keeping import (
    Basis,
    ShownModel,
    change_model,
    clear_model,
    create_model,
    delete_model,
    find_last_revision,
    get_model,
    read_basis,
    refresh_model,
    show_models,
)
from reflection.models import MentalModel, MentalModelRevision
from reflection.models.tagged import ScopeMatch, build_tags_filter
from tenants.transactions import tenant_transaction

DETAILS = ("metadata", "content", "full")
SCHEDULES = ("refresh_cron", "full_refresh_cron")
# Settings of Hindsight's that change nothing here, as they are answered with.
UNUSED = {
    "refresh_cron": None,
    "full_refresh_cron": None,
    "exclude_mental_models": False,
    "exclude_mental_model_ids": None,
    "include_chunks": None,
    "recall_chunks_max_tokens": None,
    "reflect_search_observations_max_tokens": None,
    "reflect_search_observations_include_entities": None,
    "keep_trace": False,
}
OF_CONTENT = ("content", "source_query", "max_tokens", "trigger")


class DetailInput(Input):
    detail = serializers.ChoiceField(choices=DETAILS, default="full")


class ModelListInput(OffsetInput):
    tags = TagsField(required=False, default=list)
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    detail = serializers.ChoiceField(choices=DETAILS, default="metadata")


class HindsightMentalModelsView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(ModelListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            rows = MentalModel.objects.of_bank(bank).order_by("-id")
            if wanted["tags"]:
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            shown = show_models(bank, cut_page(rows, wanted))
            items = [describe(one, bank_id, wanted["detail"]) for one in shown]
            return Response(describe_page(items, rows.count(), wanted))

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        refuse_schedules(request.data)
        body = read_body(MentalModelInput, request.data)
        shown, operation = create_model(self.access, bank_id, body.validated_data.get("id"), body.change())
        return Response({"mental_model_id": shown.model.key, "operation_id": str(operation.id)})


class HindsightMentalModelView(HindsightView):
    def get(self, request: Request, bank_id: str, model_id: str) -> Response:
        wanted = read_query(DetailInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            (shown,) = show_models(bank, [get_model(bank, model_id)])
            return Response(describe(shown, bank_id, wanted["detail"]))

    def patch(self, request: Request, bank_id: str, model_id: str) -> Response:
        refuse_schedules(request.data)
        change = read_body(MentalModelChangeInput, request.data).change()
        shown = change_model(self.access, bank_id, model_id, change, expected=read_expected(request))
        return Response(describe(shown, bank_id, "content"))

    def delete(self, request: Request, bank_id: str, model_id: str) -> Response:
        delete_model(self.access, bank_id, model_id, expected=read_expected(request))
        return Response({"status": "deleted"})


class HindsightModelRefreshView(HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str, model_id: str) -> Response:
        body = read_body(ModelRefreshInput, request.data if isinstance(request.data, dict) else {})
        operation = refresh_model(self.access, bank_id, model_id, mode=body.validated_data.get("mode", ""))
        return Response({"operation_id": str(operation.id), "status": "queued"})


class HindsightModelClearView(HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str, model_id: str) -> Response:
        return Response(describe(clear_model(self.access, bank_id, model_id), bank_id, "content"))


class HindsightModelHistoryView(HindsightView):
    def get(self, _request: Request, bank_id: str, model_id: str) -> Response:
        """Newest first, each change with the content that was before it."""
        with tenant_transaction(self.tenant_id):
            model = get_model(get_bank(self.access, bank_id), model_id)
            revisions = list(MentalModelRevision.objects.of_model(model).order_by("number"))
        contents = ["", *(one.content for one in revisions)]
        pairs = zip(contents, revisions, strict=False)
        return Response([{"previous_content": before, "changed_at": one.created_at} for before, one in pairs][::-1])


def refuse_schedules(given: Any) -> None:
    """A model that were never refreshed at its time would be worse than none."""
    trigger = given.get("trigger") if isinstance(given, dict) else None
    if isinstance(trigger, dict) and any(trigger.get(name) for name in SCHEDULES):
        raise NotOffered("Mental models have no schedules here: set refresh_after_consolidation, or ask for a refresh.")


def describe(shown: ShownModel, bank_id: str, detail: str) -> dict[str, Any]:
    """Call inside a tenant transaction for the full detail."""
    model = shown.model
    told = {
        "id": model.key,
        "bank_id": bank_id,
        "name": model.name,
        "tags": model.tags,
        "source_query": model.source_query,
        "content": model.content,
        "max_tokens": model.max_tokens,
        "trigger": {**UNUSED, **model.trigger},
        "last_refreshed_at": model.refreshed_at,
        "last_full_refreshed_at": model.refreshed_at,
        "last_memory_seen_at": model.seen_until,
        "last_refresh_failed_at": model.failed_at,
        "created_at": model.created_at,
        "is_knowledge_page": False,
        "is_stale": shown.is_stale,
    }
    if detail == "metadata":
        return {name: value for name, value in told.items() if name not in OF_CONTENT}
    return told | {"reflect_response": describe_answer(model)} if detail == "full" else told


def describe_answer(model: MentalModel) -> dict[str, Any] | None:
    revision = find_last_revision(model)
    if revision is None:
        return None
    memories = [describe_basis(one) for one in read_basis(revision) if one.network != "opinion"]
    return {
        "text": revision.content,
        "based_on": {"memories": memories, "mental_models": [], "directives": []},
        "structured_output": revision.structured,
    }


def describe_basis(basis: Basis) -> dict[str, Any]:
    return {"id": basis.id, "text": basis.text, "type": basis.network or None}
