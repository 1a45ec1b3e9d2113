"""Hindsight's tools for knowledge pages."""

from typing import Any

from memoryplatform.api.compat.hindsight.knowledge_base import (
    HindsightFoldersView,
    HindsightNodeView,
    HindsightPageSearchView,
    HindsightPagesView,
    HindsightPageView,
    HindsightTreeView,
)
from memoryplatform.api.mcp.hindsight.mental_models import TriggerArguments
from memoryplatform.api.mcp.hindsight.tool import HindsightArguments, HindsightCall, NoArguments, define_tool
from memoryplatform.api.mcp.tools.tool import Effect


class SearchArguments(HindsightArguments):
    query: str
    limit: int | None = None


class PageArguments(HindsightArguments):
    page_id: str


class FolderArguments(HindsightArguments):
    name: str
    parent_id: str | None = None


class PageTriggerArguments(TriggerArguments):
    refresh_after_consolidation: bool | None = None

    def given(self) -> dict[str, Any]:
        given = super().given()
        follows = given.pop("refresh_after_consolidation", None)
        if follows is not None:
            given["trigger"] = {"refresh_after_consolidation": follows, **given.get("trigger", {})}
        return given


class CreatePageArguments(PageTriggerArguments):
    name: str
    source_query: str
    parent_id: str | None = None


class NodeArguments(HindsightArguments):
    node_id: str


class ChangeNodeArguments(PageTriggerArguments):
    node_id: str
    name: str | None = None
    parent_id: str | None = None
    source_query: str | None = None


@define_tool("Browse pages")
def get_knowledge_base_tree(call: HindsightCall, _arguments: NoArguments) -> dict[str, Any]:
    """The folders and pages of the knowledge base. A page is a standing question with its latest answer."""
    return call.send_in_bank(HindsightTreeView, "GET")


@define_tool("Search pages")
def search_knowledge_base(call: HindsightCall, arguments: SearchArguments) -> dict[str, Any]:
    """Find pages by words and by meaning."""
    limit = {} if arguments.limit is None else {"limit": arguments.limit}
    return call.send_in_bank(HindsightPageSearchView, "GET", {"q": arguments.query, **limit})


@define_tool("Get a page")
def get_knowledge_page(call: HindsightCall, arguments: PageArguments) -> dict[str, Any]:
    """One page as Markdown."""
    return call.send_in_bank(HindsightPageView, "GET", page_id=arguments.page_id)


@define_tool("Create a folder", scopes="write", effect=Effect.ADDS)
def create_knowledge_folder(call: HindsightCall, arguments: FolderArguments) -> dict[str, Any]:
    """Create a folder for pages."""
    call.make_bank()
    return call.send_in_bank(HindsightFoldersView, "POST", arguments.given())


@define_tool("Create a page", scopes="write", effect=Effect.ADDS)
def create_knowledge_page(call: HindsightCall, arguments: CreatePageArguments) -> dict[str, Any]:
    """Create a page from a question. Its content is written in the background and follows new memories."""
    given = arguments.given()
    call.make_bank()
    return call.send_in_bank(HindsightPagesView, "POST", given)


@define_tool("Change a page", scopes="write", effect=Effect.ADDS)
def update_knowledge_node(call: HindsightCall, arguments: ChangeNodeArguments) -> dict[str, Any]:
    """Rename or move a folder or page, or change the question of a page."""
    given = arguments.given()
    given.pop("node_id", None)
    return call.send_in_bank(HindsightNodeView, "PATCH", given, node_id=arguments.node_id)


@define_tool("Delete a page", scopes="write", effect=Effect.REMOVES)
def delete_knowledge_node(call: HindsightCall, arguments: NodeArguments) -> dict[str, Any]:
    """Delete a page, or a folder with all that is in it."""
    return call.send_in_bank(HindsightNodeView, "DELETE", node_id=arguments.node_id)


TOOLS = (
    get_knowledge_base_tree,
    search_knowledge_base,
    get_knowledge_page,
    create_knowledge_folder,
    create_knowledge_page,
    update_knowledge_node,
    delete_knowledge_node,
)
