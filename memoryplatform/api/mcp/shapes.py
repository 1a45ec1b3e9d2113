"""Parts of answers that several tools share."""

from datetime import datetime
from uuid import UUID

from pydantic import Field, StrictInt

from banks.models import MemoryUnit
from memoryplatform.api.mcp.tool import Answer, Arguments
from retrieval.types import Candidate

LONGEST_LISTED = 400  # characters of a text in a list: a hundred of them are some ten thousand tokens


class PageArguments(Arguments):
    limit: StrictInt = Field(default=20, ge=1, le=100, description="The most to return.")
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class PageAnswer(Answer):
    total: int | None = Field(default=None, description="Of all pages.")
    next_cursor: str | None = Field(default=None, description="There are more: send it as cursor.")


class BriefMemory(Answer):
    id: UUID
    type: str
    text: str
    mentioned_at: datetime


def describe_briefly(unit: MemoryUnit) -> BriefMemory:
    return BriefMemory(id=unit.id, type=unit.network, text=shorten(unit.text), mentioned_at=unit.mentioned_at)


def name_type(candidate: Candidate) -> str:
    return candidate.network.value if candidate.network else candidate.kind


def shorten(text: str, longest: int = LONGEST_LISTED) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
