"""Hindsight's tools for knowledge pages. This service has none, so each names the tool to use instead."""

from typing import Any

from memoryplatform.api.compat.hindsight.hindsight_view import NotOffered
from memoryplatform.api.mcp.hindsight.mental_models import TriggerArguments
from memoryplatform.api.mcp.hindsight.tool import HindsightArguments, HindsightCall, HindsightTool, NoArguments
from memoryplatform.api.mcp.tools.tool import Effect


class SearchArguments(HindsightArguments):
    query: str
    limit: int | None = None


class PageArguments(HindsightArguments):
    page_id: str


class FolderArguments(HindsightArguments):
    name: str
    parent_id: str | None = None


class CreatePageArguments(TriggerArguments):
    name: str
    source_query: str
    parent_id: str | None = None
    refresh_after_consolidation: bool | None = None


class NodeArguments(HindsightArguments):
    node_id: str


class ChangeNodeArguments(TriggerArguments):
    node_id: str
    name: str | None = None
    parent_id: str | None = None
    source_query: str | None = None
    refresh_after_consolidation: bool | None = None


def refuse(name: str, title: str, arguments: type[HindsightArguments], effect: Effect, instead: str) -> HindsightTool:
    def run(_call: HindsightCall, _arguments: HindsightArguments) -> dict[str, Any]:
        raise NotOffered(f"There are no knowledge pages here: use {instead}.")

    scopes = "read" if effect is Effect.READS else "write"
    description = f"Not offered by this service: use {instead}."
    return HindsightTool(name, title, description, arguments, run, scopes, effect, in_bank=True, takes_bank=True)


TOOLS = (
    refuse("get_knowledge_base_tree", "Browse pages", NoArguments, Effect.READS, "list_mental_models"),
    refuse("search_knowledge_base", "Search pages", SearchArguments, Effect.READS, "recall"),
    refuse("get_knowledge_page", "Get a page", PageArguments, Effect.READS, "get_mental_model"),
    refuse("create_knowledge_folder", "Create a folder", FolderArguments, Effect.ADDS, "tags of mental models"),
    refuse("create_knowledge_page", "Create a page", CreatePageArguments, Effect.ADDS, "create_mental_model"),
    refuse("update_knowledge_node", "Change a page", ChangeNodeArguments, Effect.ADDS, "update_mental_model"),
    refuse("delete_knowledge_node", "Delete a page", NodeArguments, Effect.REMOVES, "delete_mental_model"),
)
