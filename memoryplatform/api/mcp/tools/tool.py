"""A tool: its description for the model, its arguments, its answer, and the use-case that it calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from threading import Event
from typing import Annotated, Any, Generic, Literal, Self, TypeVar
from uuid import UUID

from mcp_types import Tool as ListedTool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, create_model, model_validator

from banks.models import MemoryUnit
from memoryplatform.operations.access import BankAccess
from retrieval.filters.types import TagMatch
from retrieval.types import Candidate
from tenants.audit import Actor
from tenants.keys import KeyIdentity

EMPTY_VALUES: tuple[Any, ...] = ("", [], {})
Network = Literal["world", "experience", "opinion", "observation"]
Effort = Literal["low", "mid", "high"]
DEFAULT_BANK = "default"  # Hindsight's
LONGEST_LISTED = 400  # characters of a text in a list: 100 of them are about 10,000 tokens


class ToolSet(Enum):
    """`?tools=` of the address: a client sees one set."""

    HINDSIGHT = "hindsight"
    NATIVE = "native"


@dataclass(frozen=True)
class Caller:
    """The authenticated client. `bank_id` is that of `/mcp/{bank_id}/`; None at `/mcp/`, where each call names a
    bank. A call of a tool of Hindsight's may leave it out there: then `usual_bank` counts.
    """

    identity: KeyIdentity
    request_id: str
    bank_id: str | None = None
    address: str | None = None
    tool_set: ToolSet = ToolSet.HINDSIGHT
    usual_bank: str = DEFAULT_BANK

    @cached_property
    def access(self) -> BankAccess:
        actor = Actor(self.identity.prefix, self.identity.user_id, self.request_id, address=self.address)
        return BankAccess(self.identity.tenant_id, banks=self.identity.banks, actor=actor)


@dataclass(frozen=True)
class Call:
    """One tool call, in its thread. `hung_up` is set when the client disconnects."""

    caller: Caller
    bank_id: str
    hung_up: Event

    @property
    def access(self) -> BankAccess:
        return self.caller.access


class Arguments(BaseModel):
    """Refuses unknown fields, so a typo never passes for a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def leave_out_empty(cls, written: Any) -> Any:
        """Models often send null, or an empty value of another type, for a field that they do not use."""
        if not isinstance(written, Mapping):
            return written
        return {name: value for name, value in written.items() if not cls.says_nothing(name, value)}

    @classmethod
    def says_nothing(cls, name: str, value: Any) -> bool:
        """An empty value of a required field is reported as a fault."""
        if value is None:
            return True
        field = cls.model_fields.get(name)
        return field is not None and not field.is_required() and value in EMPTY_VALUES

    def given(self) -> dict[str, Any]:
        """The non-empty fields, for the serializers of the HTTP API, which validate every value."""
        given = self.model_dump(mode="json", exclude_none=True)
        return {name: value for name, value in given.items() if value not in EMPTY_VALUES}


class BankArguments(Arguments):
    bank_id: str = Field(description="The memory bank, see list_banks.")

    def given(self) -> dict[str, Any]:
        """Leaves out the bank, which is part of the path in the HTTP API."""
        return {name: value for name, value in super().given().items() if name != "bank_id"}


class Answer(BaseModel):
    """Leaves out fields with default values, because a model pays for every token."""

    model_config = ConfigDict(frozen=True)

    @classmethod
    def read(cls, value: object, **computed: Any) -> Self:
        """The computed fields, and of the others the attributes of `value` that go by the same names."""
        same = {
            name: getattr(value, name) for name in cls.model_fields if name not in computed and hasattr(value, name)
        }
        return cls(**same, **computed)

    def dump(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_defaults=True)


A = TypeVar("A", bound=Arguments)


class Effect(Enum):
    """Hints for the client's user before a tool is called."""

    READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    REMOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """`scopes` are those of the same HTTP route. `in_bank`: the tool works in one bank, of the call or of the path."""

    name: str
    title: str
    description: str
    arguments: type[A]
    answer: type[Answer]
    run: Callable[[Call, A], Answer]
    scopes: str = "read"
    effect: Effect = Effect.READS
    in_bank: bool = True

    @cached_property
    def arguments_with_bank(self) -> type[Arguments]:
        if not self.in_bank:
            return self.arguments
        return create_model(f"{self.arguments.__name__}WithBank", __base__=(self.arguments, BankArguments))

    def accepts(self, *, bound: bool) -> type[Arguments]:
        return self.arguments if bound else self.arguments_with_bank

    def perform(self, caller: Caller, arguments: Mapping[str, Any], hung_up: Event) -> dict[str, Any]:
        given = self.accepts(bound=caller.bank_id is not None).model_validate(dict(arguments))
        bank_id = given.bank_id if isinstance(given, BankArguments) else caller.bank_id or ""
        return self.run(Call(caller, bank_id, hung_up), given).dump()  # type: ignore[arg-type]  # with the bank or without

    @cached_property
    def listed(self) -> ListedTool:
        return self._list(bound=False)

    @cached_property
    def listed_in_bank(self) -> ListedTool:
        return self._list(bound=True)

    def _list(self, *, bound: bool) -> ListedTool:
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=without_titles(self.accepts(bound=bound).model_json_schema()),
            output_schema=without_titles(self.answer.model_json_schema()),
            annotations=self.effect.value,
        )


def define_tool(
    name: str, title: str, *, scopes: str = "read", effect: Effect = Effect.READS, in_bank: bool = True
) -> Callable[[Callable[[Call, A], Answer]], Tool[A]]:
    """Makes a tool of a function. Its docstring describes the tool, its annotations give the arguments and answer."""

    def define(run: Callable[[Call, A], Answer]) -> Tool[A]:
        _, arguments, answer = run.__annotations__.values()
        description = " ".join((run.__doc__ or "").split())
        return Tool(name, title, description, arguments, answer, run, scopes, effect, in_bank)

    return define


def without_titles(schema: Any) -> Any:
    """Removes titles, which repeat field names, and descriptions of objects, which are our docstrings."""
    if isinstance(schema, Mapping):
        is_named = isinstance(schema.get("title"), str)
        dropped = {"title", "description"} if is_named and "properties" in schema else {"title"} if is_named else set()
        return {name: without_titles(value) for name, value in schema.items() if name not in dropped}
    if isinstance(schema, list):
        return [without_titles(value) for value in schema]
    return schema


class TagArguments(Arguments):
    tags: Annotated[tuple[str, ...], Field(description="Only memories with one of these tags, see tags_match.")] = ()
    tags_match: Annotated[
        TagMatch,
        Field(description="any and all also find memories without a tag; the strict forms don't."),
    ] = "any"

    def given_tags(self) -> dict[str, Any]:
        """The tag arguments of a tool that takes one id."""
        return {name: value for name, value in self.given().items() if name in TagArguments.model_fields}


class SearchArguments(TagArguments):
    query: Annotated[str, Field(description="The question in plain words, with names and times.")]
    types: Annotated[
        tuple[Network, ...],
        Field(
            description="Only these networks: world (facts), experience (the agent's own words and acts), opinion "
            "(its beliefs), observation (summaries of people and things). Default: all."
        ),
    ] = ()
    entities: Annotated[tuple[str, ...], Field(description="Names; a memory must mention one of them.")] = ()
    as_of: Annotated[datetime | None, Field(description="Only memories that were true at this time, ISO 8601.")] = None
    history: Annotated[StrictBool, Field(description="Include superseded memories.")] = False
    query_timestamp: Annotated[
        datetime | None,
        Field(description="The time of the question, ISO 8601 with zone; 'yesterday' counts from it. Default: now."),
    ] = None


class PageArguments(Arguments):
    limit: StrictInt = Field(default=20, ge=1, le=100, description="The most to return.")
    cursor: str | None = Field(default=None, description="next_cursor of the previous page.")


class PageAnswer(Answer):
    total: int | None = Field(default=None, description="Number of rows on all pages.")
    next_cursor: str | None = Field(default=None, description="Send it as cursor to get the next page.")


class BriefMemory(Answer):
    id: UUID
    type: str
    text: str
    mentioned_at: datetime


B = TypeVar("B", bound=BriefMemory)


def describe_briefly(unit: MemoryUnit, shape: type[B], **more: Any) -> B:
    return shape.read(unit, type=unit.network, text=shorten(unit.rendered_text), **more)


def name_type(candidate: Candidate) -> str:
    return candidate.network.value if candidate.network else candidate.kind


def shorten(text: str, longest: int = LONGEST_LISTED) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
