"""`/mental-models` of a bank: standing questions, each with its latest answer."""

from typing import Any, get_args

from rest_framework import serializers
from rest_framework.request import Request

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.fields import TagsField
from memoryplatform.api.v1.mental_models import MentalModelChangeInput, MentalModelInput, ModelRefreshInput
from memoryplatform.operations import mental_models
from memoryplatform.operations.banks.profile import bank_transaction
from reflection.mental_models import DEFAULTS
from reflection.models import KnowledgeNode, MentalModel, MentalModelRevision
from reflection.models.tagged import ScopeMatch, build_tags_filter

DETAILS = ("metadata", "content", "full")
# Hindsight's settings that have no effect here, with the values that responses show.
UNUSED = {
    "exclude_mental_models": False,
    "exclude_mental_model_ids": None,
    "include_chunks": None,
    "recall_chunks_max_tokens": None,
    "reflect_search_observations_max_tokens": None,
    "reflect_search_observations_include_entities": None,
    "keep_trace": False,
}
CONTENT_FIELDS = ("content", "source_query", "max_tokens", "trigger")


class DetailInput(Input):
    detail = serializers.ChoiceField(choices=DETAILS, default="full")


class ModelListInput(hindsight_view.OffsetInput):
    tags = TagsField(required=False, default=list)
    tags_match = serializers.ChoiceField(choices=get_args(ScopeMatch), default="any")
    detail = serializers.ChoiceField(choices=DETAILS, default="metadata")
    exclude_knowledge_pages = serializers.BooleanField(default=False)


class HindsightMentalModelsView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(ModelListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            rows = MentalModel.objects.of_bank(bank).order_by("-id")
            if wanted["tags"]:
                rows = rows.filter(build_tags_filter(wanted["tags"], wanted["tags_match"]))
            if wanted["exclude_knowledge_pages"]:
                pages = KnowledgeNode.objects.of_bank(bank).filter(mental_model__isnull=False)
                rows = rows.exclude(id__in=pages.values("mental_model_id"))
            shown = mental_models.show_models(bank, hindsight_view.cut_page(rows, wanted))
            items = [describe_mental_model(one, bank_id, wanted["detail"]) for one in shown]
            return hindsight_view.describe_page(items, rows.count(), wanted)

    @idempotent
    def post(self, request: Request, bank_id: str) -> object:
        body = hindsight_view.read_body(MentalModelInput, request.data)
        shown, operation = mental_models.create_model(
            self.access, bank_id, body.validated_data.get("id"), body.change()
        )
        return {"mental_model_id": shown.model.key, "operation_id": str(operation.id)}


class HindsightMentalModelView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, model_id: str) -> object:
        wanted = hindsight_view.read_query(DetailInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            (shown,) = mental_models.show_models(bank, [mental_models.get_model(bank, model_id)])
            return describe_mental_model(shown, bank_id, wanted["detail"])

    def patch(self, request: Request, bank_id: str, model_id: str) -> object:
        change = hindsight_view.read_body(MentalModelChangeInput, request.data).change()
        shown = mental_models.change_model(self.access, bank_id, model_id, change, expected=self.expected)
        return describe_mental_model(shown, bank_id, "content")

    def delete(self, request: Request, bank_id: str, model_id: str) -> object:
        mental_models.delete_model(self.access, bank_id, model_id, expected=self.expected)
        return {"status": "deleted"}


class HindsightModelRefreshView(hindsight_view.HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str, model_id: str) -> object:
        body = hindsight_view.read_body(ModelRefreshInput, request.data if isinstance(request.data, dict) else {})
        operation = mental_models.refresh_model(
            self.access, bank_id, model_id, mode=body.validated_data.get("mode", "")
        )
        return {"operation_id": str(operation.id), "status": "queued"}


class HindsightModelClearView(hindsight_view.HindsightView):
    @idempotent
    def post(self, _request: Request, bank_id: str, model_id: str) -> object:
        return describe_mental_model(mental_models.clear_model(self.access, bank_id, model_id), bank_id, "content")


class HindsightModelHistoryView(hindsight_view.HindsightView):
    def get(self, _request: Request, bank_id: str, model_id: str) -> object:
        """Newest first. Each change has the content before it."""
        with bank_transaction(self.access, bank_id) as bank:
            model = mental_models.get_model(bank, model_id)
            revisions = list(MentalModelRevision.objects.of_model(model).order_by("number"))
        contents = ["", *(one.content for one in revisions)]
        pairs = zip(contents, revisions, strict=False)
        return [{"previous_content": before, "changed_at": one.created_at} for before, one in pairs][::-1]


def describe_mental_model(shown: mental_models.ShownModel, bank_id: str, detail: str) -> dict[str, Any]:
    """Call inside a tenant transaction for the full detail."""
    model = shown.model
    fields = {
        "id": model.key,
        "bank_id": bank_id,
        "name": model.name,
        "tags": model.tags,
        "source_query": model.source_query,
        "content": model.content,
        "max_tokens": model.max_tokens,
        "trigger": {**UNUSED, **DEFAULTS, **model.trigger},
        "last_refreshed_at": model.refreshed_at,
        "last_full_refreshed_at": model.refreshed_at,
        "last_memory_seen_at": model.seen_until,
        "last_refresh_failed_at": model.failed_at,
        "created_at": model.created_at,
        "is_knowledge_page": shown.is_page,
        "is_stale": shown.is_stale,
    }
    if detail == "metadata":
        return {name: value for name, value in fields.items() if name not in CONTENT_FIELDS}
    return fields | {"reflect_response": describe_answer(model)} if detail == "full" else fields


def describe_answer(model: MentalModel) -> dict[str, Any] | None:
    revision = mental_models.find_last_revision(model)
    if revision is None:
        return None
    memories = [describe_basis(one) for one in mental_models.read_basis(revision) if one.network != "opinion"]
    return {
        "text": revision.content,
        "based_on": {"memories": memories, "mental_models": [], "directives": []},
        "structured_output": revision.structured,
    }


def describe_basis(basis: mental_models.Basis) -> dict[str, Any]:
    return {"id": basis.id, "text": basis.text, "type": basis.network or None}
