from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictFloat

from memoryplatform.api.mcp.caller import Call
from memoryplatform.api.mcp.checked import check
from memoryplatform.api.mcp.filters import TagArguments
from memoryplatform.api.mcp.shapes import BriefMemory, PageAnswer, PageArguments, describe_briefly, shorten
from memoryplatform.api.mcp.tool import Answer, Tool
from memoryplatform.api.v1.lists import list_rows
from memoryplatform.api.v1.opinion_shapes import OpinionInput, OpinionListInput, read_view
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.opinions.lists import (
    ListedOpinion,
    find_opinions,
    find_revisions,
    get_opinion,
    list_opinions,
)
from memoryplatform.operations.opinions.shown import show, show_steps
from reflection.models import OpinionRevision
from tenants.transactions import tenant_transaction

MOST_EVIDENCE = 20
MOST_REVISIONS = 50


class ListArguments(TagArguments, PageArguments):
    q: Annotated[str, Field(description="Words that an opinion must have.")] = ""
    entity_id: Annotated[UUID | None, Field(description="Only opinions about this entity, see list_entities.")] = None
    min_confidence: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.0
    review: Annotated[
        Literal["new", "approved", "pinned", "retired", "all"] | None,
        Field(description="What people made of it. Left out: all that are held."),
    ] = None


class OpinionAnswer(Answer):
    id: UUID
    text: str
    confidence: float
    review: str = Field(default="", description="approved, pinned (evidence does not move it) or retired.")
    entities: tuple[str, ...] = ()
    formed_at: datetime
    changed_at: datetime
    revision: int = Field(description="How many revisions it has had; 1 is its formation.")
    expired_at: datetime | None = Field(default=None, description="Since when it is no longer held.")


class ListAnswer(PageAnswer):
    opinions: list[OpinionAnswer]


class GetArguments(TagArguments):
    opinion_id: UUID


class Evidence(BriefMemory):
    bearing: str = Field(
        description="formed, restated or revised on this, or moved by it: reinforce, weaken, contradict."
    )


class Revision(Answer):
    number: int
    at: datetime
    cause: str
    confidence_before: float | None = None
    confidence_after: float
    text_after: str = Field(default="", description="Where the text changed.")
    evidence_id: UUID | None = None
    reasoning: str = ""


class ShownOpinion(OpinionAnswer):
    evidence: tuple[Evidence, ...] = ()
    revisions: tuple[Revision, ...] = Field(default=(), description="The newest, in the order in which they happened.")
    hidden_evidence: int = Field(default=0, description="How many facts do not pass the condition on tags.")


def run_list(call: Call, arguments: ListArguments) -> ListAnswer:
    wanted = check(OpinionListInput, arguments.given())
    with tenant_transaction(call.access.tenant_id):
        bank = get_bank(call.access, call.bank_id)
        held = wanted.opinion_filter()
        page = list_rows(find_opinions(bank, held).defer("embedding"), wanted.validated_data, of=bank.id)
        shown = list_opinions(bank, page.items, held.view)
    return ListAnswer(
        opinions=[OpinionAnswer(**describe(one)) for one in shown], total=page.total, next_cursor=page.next_cursor
    )


def describe(listed: ListedOpinion) -> dict[str, object]:
    unit = listed.described.unit
    return {
        "id": unit.id,
        "text": unit.text,
        "confidence": unit.confidence,
        "review": unit.review,
        "entities": [entity.name for entity in listed.described.entities],
        "formed_at": unit.recorded_at,
        "changed_at": listed.changed_at,
        "revision": listed.revision,
        "expired_at": unit.expired_at,
    }


def run_get(call: Call, arguments: GetArguments) -> ShownOpinion:
    view = read_view(check(OpinionInput, arguments.given_tags()).validated_data)
    with tenant_transaction(call.access.tenant_id):
        bank = get_bank(call.access, call.bank_id)
        opinion = get_opinion(bank, arguments.opinion_id, view)
        shown = show(bank, opinion, view)
        newest = list(find_revisions(bank, opinion.id).order_by("-number")[:MOST_REVISIONS])[::-1]
        steps = show_steps(bank, opinion, newest, view)
    return ShownOpinion(
        **describe(shown.listed),
        evidence=[
            Evidence(**describe_briefly(one.unit).model_dump(), bearing=one.bearing)
            for one in shown.evidence[-MOST_EVIDENCE:]
        ],
        revisions=[describe_revision(one.revision) for one in steps],
        hidden_evidence=shown.hidden_evidence,
    )


def describe_revision(revision: OpinionRevision) -> Revision:
    is_reworded = revision.text_after != revision.text_before
    return Revision(
        number=revision.number,
        at=revision.created_at,
        cause=revision.cause,
        confidence_before=revision.confidence_before,
        confidence_after=revision.confidence_after,
        text_after=revision.text_after if is_reworded else "",
        evidence_id=revision.evidence_id,
        reasoning=shorten(revision.reasoning),
    )


LIST_OPINIONS = Tool(
    name="list_opinions",
    title="List opinions",
    description="What the agent believes, each with its confidence, newest first.",
    arguments=ListArguments,
    answer=ListAnswer,
    run=run_list,
)
GET_OPINION = Tool(
    name="get_opinion",
    title="Get an opinion",
    description="One opinion with the evidence for and against it, and how its confidence moved.",
    arguments=GetArguments,
    answer=ShownOpinion,
    run=run_get,
)
