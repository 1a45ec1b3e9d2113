"""The tools `list_opinions` and `get_opinion`."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from pydantic import Field, StrictFloat

from memoryplatform.api.mcp.tools import tool
from memoryplatform.api.serializers import check_input
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.api.v1.opinions import OpinionInput, OpinionListInput, build_opinion_filter, read_tag_view
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.opinions.shown import (
    ListedOpinion,
    find_opinions,
    find_revisions,
    get_opinion,
    list_opinions,
    show,
    show_steps,
)
from reflection.models import OpinionRevision

MOST_EVIDENCE = 20
MOST_REVISIONS = 50


class ListArguments(tool.TagArguments, tool.PageArguments):
    q: Annotated[str, Field(description="Words that an opinion must contain.")] = ""
    entity_id: Annotated[UUID | None, Field(description="Only opinions about this entity, see list_entities.")] = None
    min_confidence: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.0
    review: Annotated[
        Literal["new", "approved", "pinned", "retired", "all"] | None,
        Field(description="The review state. Default: all opinions that the agent holds."),
    ] = None


class OpinionAnswer(tool.Answer):
    id: UUID
    text: str
    confidence: float
    review: str = Field(default="", description="approved, pinned (evidence does not move it) or retired.")
    entities: tuple[str, ...] = ()
    formed_at: datetime
    changed_at: datetime
    revision: int = Field(description="The number of revisions; 1 is its formation.")
    expired_at: datetime | None = Field(default=None, description="When the agent stopped holding it.")


Shape = TypeVar("Shape", bound=OpinionAnswer)


class ListAnswer(tool.PageAnswer):
    opinions: list[OpinionAnswer]


class GetArguments(tool.TagArguments):
    opinion_id: UUID


class Evidence(tool.BriefMemory):
    bearing: str = Field(
        description="What the evidence did: formed, restated or revised the opinion, or a verdict: reinforce, "
        "weaken, contradict."
    )


class Revision(tool.Answer):
    number: int
    at: datetime
    cause: str
    confidence_before: float | None = None
    confidence_after: float
    text_after: str = Field(default="", description="Present if the text changed.")
    evidence_id: UUID | None = None
    reasoning: str = ""


class ShownOpinion(OpinionAnswer):
    evidence: tuple[Evidence, ...] = ()
    revisions: tuple[Revision, ...] = Field(default=(), description="The newest revisions, in order of time.")
    hidden_evidence: int = Field(default=0, description="The number of facts that the tags exclude.")


@tool.define_tool("list_opinions", "List opinions")
def run_list(call: tool.Call, arguments: ListArguments) -> ListAnswer:
    """The agent's beliefs, each with its confidence, newest first."""
    wanted = check_input(OpinionListInput, arguments.given()).validated_data
    with bank_transaction(call.access, call.bank_id) as bank:
        held = build_opinion_filter(wanted)
        page = list_rows(find_opinions(bank, held).defer("embedding", "second_embedding"), wanted, of=bank.id)
        shown = list_opinions(bank, page.items, held.view)
    return ListAnswer.read(page, opinions=[describe_opinion(one, OpinionAnswer) for one in shown])


def describe_opinion(listed: ListedOpinion, shape: type[Shape], **more: Any) -> Shape:
    unit = listed.described.unit
    return shape.read(
        unit,
        text=unit.rendered_text,
        entities=[entity.name for entity in listed.described.entities],
        formed_at=unit.recorded_at,
        changed_at=listed.changed_at,
        revision=listed.revision,
        **more,
    )


@tool.define_tool("get_opinion", "Get an opinion")
def run_get(call: tool.Call, arguments: GetArguments) -> ShownOpinion:
    """One opinion with the evidence for and against it, and how its confidence moved."""
    view = read_tag_view(check_input(OpinionInput, arguments.given_tags()).validated_data)
    with bank_transaction(call.access, call.bank_id) as bank:
        opinion = get_opinion(bank, arguments.opinion_id, view)
        shown = show(bank, opinion, view)
        newest = list(find_revisions(bank, opinion.id).order_by("-number")[:MOST_REVISIONS])[::-1]
        steps = show_steps(bank, opinion, newest, view)
    evidence = shown.evidence[-MOST_EVIDENCE:]
    return describe_opinion(
        shown.listed,
        ShownOpinion,
        evidence=[tool.describe_briefly(one.unit, Evidence, bearing=one.bearing) for one in evidence],
        revisions=[describe_revision(one.revision) for one in steps],
        hidden_evidence=shown.hidden_evidence,
    )


def describe_revision(revision: OpinionRevision) -> Revision:
    return Revision.read(
        revision,
        at=revision.created_at,
        text_after=revision.text_after if revision.text_after != revision.text_before else "",
        reasoning=tool.shorten(revision.reasoning),
    )
