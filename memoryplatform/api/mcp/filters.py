"""Arguments that several tools share."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from memoryplatform.api.mcp.tool import Arguments
from retrieval.filters.types import TagMatch

Network = Literal["world", "experience", "opinion", "observation"]
Effort = Literal["low", "mid", "high"]


class TagArguments(Arguments):
    tags: Annotated[tuple[str, ...], Field(description="Only memories with one of these tags, see tags_match.")] = ()
    tags_match: Annotated[
        TagMatch,
        Field(description="any and all also find memories without a tag; the strict forms don't."),
    ] = "any"

    def given_tags(self) -> dict[str, Any]:
        """For tools that ask for one row by its id, which is part of the address in the HTTP API."""
        return {name: value for name, value in self.given().items() if name in TagArguments.model_fields}


class SearchArguments(TagArguments):
    query: Annotated[str, Field(description="The question in plain words, with names and times as they were told.")]
    types: Annotated[
        tuple[Network, ...],
        Field(
            description="Only these: world (facts), experience (what the agent did), opinion (what it believes), "
            "observation (summaries of people and things). All if left out."
        ),
    ] = ()
    entities: Annotated[tuple[str, ...], Field(description="Names; a memory must mention one of them.")] = ()
    as_of: Annotated[datetime | None, Field(description="What was true at that time, ISO 8601.")] = None
    history: Annotated[StrictBool, Field(description="Also what is no longer so.")] = False
    query_timestamp: Annotated[
        datetime | None,
        Field(description="When the question is asked, ISO 8601 with zone: what 'yesterday' counts from. Else now."),
    ] = None
