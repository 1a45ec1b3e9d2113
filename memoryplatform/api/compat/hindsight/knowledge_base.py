"""`/knowledge-base` of a bank: pages, which are mental models, in a tree of folders."""

import json
from typing import Any

from django.db.models import Q
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.compat.hindsight.documents import match_tags
from memoryplatform.api.compat.hindsight.mental_models import UNUSED
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.fields import MATCHES, TagsField
from memoryplatform.api.v1.mental_models import LONGEST_QUERY, MentalModelChangeInput
from memoryplatform.operations import knowledge_pages
from memoryplatform.operations.knowledge_pages import FoundPage, ShownNode
from memoryplatform.operations.mental_models import ShownModel
from reflection.mental_models import DEFAULTS
from reflection.models import MentalModel

EMPTY = "No content yet."
SNIPPET = 300  # characters
TYPE = "type:"
USUAL_TYPE = "knowledge-page"


class PageFilterInput(Input):
    tags = TagsField(required=False, default=list)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    tag_groups = serializers.CharField(required=False, default="")

    def validate_tag_groups(self, value: str) -> str:
        if value:
            raise hindsight_view.NotOffered("Pages are filtered by tags, not by tag_groups.")
        return value


class PageSearchInput(PageFilterInput):
    q = serializers.CharField(max_length=LONGEST_QUERY)
    limit = serializers.IntegerField(min_value=1, max_value=50, default=10)


class FolderInput(Input):
    name = serializers.CharField(max_length=200)
    parent_id = serializers.CharField(required=False, allow_null=True, default=None)


class PageInput(MentalModelChangeInput):
    name = serializers.CharField(max_length=200)
    source_query = serializers.CharField(max_length=LONGEST_QUERY)


class ParentInput(Input):
    parent_id = serializers.CharField(required=False, allow_null=True)


class HindsightTreeView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(PageFilterInput, request)
        roots = knowledge_pages.show_tree(self.access, bank_id, pages=filter_pages(wanted))
        return {"roots": [describe_node(one) for one in roots]}


class HindsightFoldersView(hindsight_view.HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        wanted = hindsight_view.read_body(FolderInput, request.data).validated_data
        made = knowledge_pages.create_folder(self.access, bank_id, wanted["name"], wanted["parent_id"])
        return Response(describe_node(made), status=status.HTTP_201_CREATED)


class HindsightPagesView(hindsight_view.HindsightView):
    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        change = hindsight_view.read_body(PageInput, request.data).change()
        parent = hindsight_view.read_body(ParentInput, request.data).validated_data.get("parent_id")
        made, operation = knowledge_pages.create_page(self.access, bank_id, change, parent)
        model = get_model(made)
        answer = {"page_id": made.node.id, "mental_model_id": model.key, "operation_id": operation.id}
        return Response(answer, status=status.HTTP_201_CREATED)


class HindsightPageView(hindsight_view.HindsightView):
    def get(self, _request: Request, bank_id: str, page_id: str) -> object:
        shown = knowledge_pages.show_page(self.access, bank_id, page_id)
        model = get_model(shown)
        return {
            "id": shown.node.id,
            "name": model.name,
            "type": name_type(model),
            "description": model.source_query,
            "tags": model.tags,
            "timestamp": model.refreshed_at or model.created_at,
            "body": model.content,
            "markdown": write_markdown(model, empty=EMPTY),
        }


class HindsightNodeView(hindsight_view.HindsightView):
    def patch(self, request: Request, bank_id: str, node_id: str) -> object:
        change = hindsight_view.read_body(MentalModelChangeInput, request.data).change()
        place = hindsight_view.read_body(ParentInput, request.data).validated_data
        shown = knowledge_pages.change_node(
            self.access, bank_id, node_id, change, moves="parent_id" in place, parent_id=place.get("parent_id")
        )
        return describe_node(shown)

    def delete(self, _request: Request, bank_id: str, node_id: str) -> object:
        deleted = knowledge_pages.delete_node(self.access, bank_id, node_id)
        return {"success": True, "deleted_count": deleted}


class HindsightPageSearchView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(PageSearchInput, request)
        pages = filter_pages(wanted)
        found = knowledge_pages.search_pages(self.access, bank_id, wanted["q"], limit=wanted["limit"], pages=pages)
        return {"results": [describe_found(one) for one in found], "total": len(found)}


class HindsightPageBundleView(hindsight_view.HindsightView):
    def get(self, _request: Request, bank_id: str) -> object:
        """An index, and a file for each page. Former contents are at `/mental-models/{id}/history`."""
        roots = knowledge_pages.show_tree(self.access, bank_id)
        files = [{"path": "index.md", "content": "\n".join(["# Knowledge base", "", *write_index(roots)]) + "\n"}]
        return {"files": files + write_pages(roots)}


def filter_pages(wanted: dict[str, Any]) -> Q:
    return match_tags(wanted["tags"], wanted["tags_match"]) if wanted["tags"] else Q()


def get_model(shown: ShownNode) -> MentalModel:
    if shown.shown is None:
        raise TypeError("A folder has no mental model.")
    return shown.shown.model


def name_type(model: MentalModel) -> str:
    return next((tag.removeprefix(TYPE) for tag in model.tags if tag.startswith(TYPE)), USUAL_TYPE)


def describe_node(one: ShownNode) -> dict[str, Any]:
    fields = {
        "id": one.node.id,
        "kind": "folder" if one.shown is None else "page",
        "name": knowledge_pages.name_of_node(one),
        "parent_id": one.node.parent_id,
        "managed": False,
        "children": [describe_node(child) for child in one.children],
    }
    return fields | (describe_folder(one) if one.shown is None else describe_page(one.shown))


def describe_folder(one: ShownNode) -> dict[str, Any]:
    empty = dict.fromkeys(("mental_model_id", "description", "is_stale", "last_refresh_failed_at", "trigger"))
    return {**empty, "tags": [], "timestamp": one.node.updated_at}


def describe_page(shown: ShownModel) -> dict[str, Any]:
    model = shown.model
    return {
        "mental_model_id": model.key,
        "description": model.source_query,
        "tags": model.tags,
        "timestamp": model.refreshed_at or model.created_at,
        "is_stale": shown.is_stale,
        "last_refresh_failed_at": model.failed_at,
        "trigger": {**UNUSED, **DEFAULTS, **model.trigger},
    }


def describe_found(one: FoundPage) -> dict[str, Any]:
    return {
        "id": one.node.id,
        "name": one.model.name,
        "mental_model_id": one.model.key,
        "source_query": one.model.source_query,
        "snippet": one.model.content[:SNIPPET] or EMPTY,
        "score": round(one.score, 6),
        "updated_at": one.model.refreshed_at or one.model.updated_at,
    }


def write_markdown(model: MentalModel, *, empty: str = "") -> str:
    """Front matter and body. A JSON value is a YAML value."""
    head = {
        "name": model.name,
        "type": name_type(model),
        "description": model.source_query,
        "tags": model.tags,
        "timestamp": (model.refreshed_at or model.created_at).isoformat(),
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    return "\n".join(["---", *lines, "---", "", model.content or empty]) + "\n"


def write_index(nodes: list[ShownNode], depth: int = 0) -> list[str]:
    lines = []
    for one in nodes:
        name = knowledge_pages.name_of_node(one)
        lines.append("  " * depth + (f"- {name}/" if one.shown is None else f"- [{name}]({one.node.id}.md)"))
        lines += write_index(one.children, depth + 1)
    return lines


def write_pages(nodes: list[ShownNode]) -> list[dict[str, str]]:
    files: list[dict[str, str]] = []
    for one in nodes:
        if one.shown is not None:
            files.append({"path": f"{one.node.id}.md", "content": write_markdown(one.shown.model)})
        files += write_pages(one.children)
    return files
