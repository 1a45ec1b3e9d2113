"""Hindsight's tools for mental models and directives."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field
from rest_framework import serializers

from memoryplatform.api.compat.hindsight.directives import HindsightDirectivesView, HindsightDirectiveView
from memoryplatform.api.compat.hindsight.mental_models import (
    HindsightMentalModelsView,
    HindsightMentalModelView,
    HindsightModelClearView,
    HindsightModelRefreshView,
)
from memoryplatform.api.mcp.hindsight.memories import Match, TagArguments
from memoryplatform.api.mcp.hindsight.tool import (
    HindsightArguments,
    HindsightCall,
    Names,
    Object,
    PageArguments,
    define_tool,
)
from memoryplatform.api.mcp.tools.tool import Effect

Detail = Literal["metadata", "content", "full"]


class ModelListArguments(TagArguments, PageArguments):
    detail: Detail | None = None


class ModelArguments(HindsightArguments):
    mental_model_id: str


class GetModelArguments(ModelArguments):
    detail: Detail | None = None


class TriggerArguments(HindsightArguments):
    tags: Names = None
    max_tokens: int | None = None
    trigger: Annotated[Object, Field(description="When and from what it is refreshed.")] = None
    tags_match: Match | None = None
    trigger_refresh_after_consolidation: bool | None = None

    def given(self) -> dict[str, Any]:
        """Older clients give two fields of the trigger as arguments. A field that is given twice is refused."""
        given = super().given()
        short = {
            "tags_match": given.pop("tags_match", None),
            "refresh_after_consolidation": given.pop("trigger_refresh_after_consolidation", None),
        }
        told = {name: value for name, value in short.items() if value is not None}
        if twice := sorted(set(told) & set(self.trigger or {})):
            raise serializers.ValidationError({"trigger": [f"{twice[0]} is given twice."]})
        given.pop("mental_model_id", None)
        return given | ({"trigger": {**(self.trigger or {}), **told}} if told or self.trigger else {})


class CreateModelArguments(TriggerArguments):
    name: str
    source_query: Annotated[str, Field(description="The question that the model answers.")]
    mental_model_id: str | None = None


class UpdateModelArguments(TriggerArguments):
    mental_model_id: str
    name: str | None = None
    source_query: str | None = None


class DirectiveListArguments(PageArguments):
    tags: Names = None
    active_only: bool = True


class DirectiveArguments(HindsightArguments):
    directive_id: UUID


class CreateDirectiveArguments(HindsightArguments):
    name: str
    content: Annotated[str, Field(description="The rule.")]
    priority: Annotated[int | None, Field(description="A higher one is more important.")] = None
    is_active: bool | None = None
    tags: Names = None


@define_tool("List mental models")
def list_mental_models(call: HindsightCall, arguments: ModelListArguments) -> dict[str, Any]:
    """The bank's mental models without their contents: get_mental_model shows one."""
    return call.send_in_bank(HindsightMentalModelsView, "GET", arguments.given())


@define_tool("Get a mental model")
def get_mental_model(call: HindsightCall, arguments: GetModelArguments) -> dict[str, Any]:
    """One mental model with its content."""
    given = {} if arguments.detail is None else {"detail": arguments.detail}
    return call.send_in_bank(HindsightMentalModelView, "GET", given, model_id=arguments.mental_model_id)


@define_tool("Create a mental model", scopes="write", effect=Effect.ADDS)
def create_mental_model(call: HindsightCall, arguments: CreateModelArguments) -> dict[str, Any]:
    """Create a standing question whose answer is kept up to date. The answer is written in the background."""
    given = arguments.given()
    call.make_bank()
    own_id = {} if arguments.mental_model_id is None else {"id": arguments.mental_model_id}
    return call.send_in_bank(HindsightMentalModelsView, "POST", given | own_id)


@define_tool("Change a mental model", scopes="write", effect=Effect.ADDS)
def update_mental_model(call: HindsightCall, arguments: UpdateModelArguments) -> dict[str, Any]:
    """Change a mental model. Fields that are left out stay, also those of the trigger."""
    return call.send_in_bank(HindsightMentalModelView, "PATCH", arguments.given(), model_id=arguments.mental_model_id)


@define_tool("Delete a mental model", scopes="write", effect=Effect.REMOVES)
def delete_mental_model(call: HindsightCall, arguments: ModelArguments) -> dict[str, Any]:
    """Delete a mental model for good."""
    return call.send_in_bank(HindsightMentalModelView, "DELETE", model_id=arguments.mental_model_id)


@define_tool("Refresh a mental model", scopes="write", effect=Effect.ADDS)
def refresh_mental_model(call: HindsightCall, arguments: ModelArguments) -> dict[str, Any]:
    """Write the content again from the present memories, in the background."""
    return call.send_in_bank(HindsightModelRefreshView, "POST", model_id=arguments.mental_model_id)


@define_tool("Clear a mental model", scopes="write", effect=Effect.REMOVES)
def clear_mental_model(call: HindsightCall, arguments: ModelArguments) -> dict[str, Any]:
    """Delete the content and keep the question: refresh_mental_model writes it again."""
    return call.send_in_bank(HindsightModelClearView, "POST", model_id=arguments.mental_model_id)


@define_tool("List directives")
def list_directives(call: HindsightCall, arguments: DirectiveListArguments) -> dict[str, Any]:
    """The rules that the bank's answers must follow."""
    return call.send_in_bank(HindsightDirectivesView, "GET", arguments.given())


@define_tool("Create a directive", scopes="write", effect=Effect.ADDS)
def create_directive(call: HindsightCall, arguments: CreateDirectiveArguments) -> dict[str, Any]:
    """Create a rule that the bank's answers must follow."""
    call.make_bank()
    return call.send_in_bank(HindsightDirectivesView, "POST", arguments.given())


@define_tool("Delete a directive", scopes="write", effect=Effect.REMOVES)
def delete_directive(call: HindsightCall, arguments: DirectiveArguments) -> dict[str, Any]:
    """Delete a rule for good."""
    return call.send_in_bank(HindsightDirectiveView, "DELETE", directive_id=arguments.directive_id)


TOOLS = (
    list_mental_models,
    get_mental_model,
    create_mental_model,
    update_mental_model,
    delete_mental_model,
    refresh_mental_model,
    clear_mental_model,
    list_directives,
    create_directive,
    delete_directive,
)
