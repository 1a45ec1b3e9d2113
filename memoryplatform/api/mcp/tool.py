"""A tool: what a model reads about it, what it takes, what it gives, and the use-case behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Generic, TypeVar

from mcp_types import Tool as ListedTool
from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from memoryplatform.api.mcp.caller import Call

EMPTY: tuple[Any, ...] = ("", [], {})


class Arguments(BaseModel):
    """Refuses what it does not know: a typo must not pass for a default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def leave_out_empty(cls, written: Any) -> Any:
        """A model that has nothing to say to a field often says null, or an empty value of another type."""
        if not isinstance(written, Mapping):
            return written
        return {name: value for name, value in written.items() if not cls.says_nothing(name, value)}

    @classmethod
    def says_nothing(cls, name: str, value: Any) -> bool:
        """Of what must be there an empty value is told as what it is."""
        if value is None:
            return True
        field = cls.model_fields.get(name)
        return field is not None and not field.is_required() and value in EMPTY

    def given(self) -> dict[str, Any]:
        """Ready for the serializers of the HTTP API, which have the last word on every value; without what is empty."""
        given = self.model_dump(mode="json", exclude_none=True)
        return {name: value for name, value in given.items() if value not in EMPTY}


class BankArguments(Arguments):
    bank_id: str = Field(description="The memory bank. list_banks tells which there are.")

    def given(self) -> dict[str, Any]:
        """Without the bank, which is part of the address in the HTTP API."""
        return {name: value for name, value in super().given().items() if name != "bank_id"}


class Answer(BaseModel):
    """Fields that say nothing are left out: a model pays for every token that it reads."""

    model_config = ConfigDict(frozen=True)

    def told(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_defaults=True)


A = TypeVar("A", bound=Arguments)


class Effect(Enum):
    """What a client may tell its user before a tool is called."""

    READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
    REMOVES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """`scopes` are those that the HTTP API wants for the same. `in_bank`: it works in one bank, maybe the address's."""

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


def without_titles(schema: Any) -> Any:
    """Pydantic repeats every name as a title, and docstrings of ours as descriptions of whole objects."""
    if isinstance(schema, Mapping):
        is_named = isinstance(schema.get("title"), str)
        dropped = {"title", "description"} if is_named and "properties" in schema else {"title"} if is_named else set()
        return {name: without_titles(value) for name, value in schema.items() if name not in dropped}
    if isinstance(schema, list):
        return [without_titles(value) for value in schema]
    return schema
