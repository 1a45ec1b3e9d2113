"""A tool of Hindsight: a function that calls the routes of Hindsight's interface for the caller.

As in Hindsight, arguments are read leniently: null means absent, numbers and booleans may be texts, and a list or an
object may be a text with JSON. Unknown arguments are ignored, and `notes` of the answer names them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Annotated, Any, TypeVar

import orjson
from django.http import HttpRequest, QueryDict
from mcp_types import Tool as ListedTool
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from banks.errors import BankIdInvalid
from memoryplatform.api.authentication import HasScope
from memoryplatform.api.errors import make_printable
from memoryplatform.api.json_format import FastJSONRenderer
from memoryplatform.api.mcp.tools.tool import Caller, Effect, without_titles
from memoryplatform.api.views import TenantView, as_response
from memoryplatform.operations.banks.aliases import resolve_bank_id
from memoryplatform.operations.banks.profile import find_or_create_bank
from tenants.bank_ids import WORDS, is_bank_id


def read_json(value: Any) -> Any:
    """Some clients write lists and objects as texts."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def read_names(value: Any) -> Any:
    read = read_json(value)
    if isinstance(read, list):
        return [write_scalar(one) for one in read if one is not None]
    return [str(read)] if isinstance(read, str | int | float) else read


def read_metadata(value: Any) -> Any:
    read = read_json(value)
    if not isinstance(read, dict):
        return read
    return {name: write_scalar(one) for name, one in read.items() if one is not None}


def write_scalar(value: Any) -> Any:
    """Tags and values of metadata are texts."""
    return json.dumps(value) if isinstance(value, int | float) else value


def lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


Names = Annotated[list[str] | None, BeforeValidator(read_names)]
Objects = Annotated[list[dict[str, Any]] | None, BeforeValidator(read_json)]
Object = Annotated[dict[str, Any] | None, BeforeValidator(read_json)]
Metadata = Annotated[dict[str, Any] | None, BeforeValidator(read_metadata)]


class HindsightArguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def leave_out_nulls(cls, given: Any) -> Any:
        return {name: value for name, value in given.items() if value is not None}

    def given(self) -> dict[str, Any]:
        """The fields of the request. An argument that was left out without a default is left out here too."""
        return {name: value for name, value in self if value is not None and name != "bank_id"}


class NoArguments(HindsightArguments):
    pass


class PageArguments(HindsightArguments):
    limit: int | None = None
    offset: int | None = None


class WithBank(HindsightArguments):
    bank_id: Annotated[str | None, Field(description="The memory bank. Default: the one of the connection.")] = None


A = TypeVar("A", bound=HindsightArguments)


@dataclass(frozen=True)
class HindsightCall:
    """One tool call, in its thread. `bank_id` is the bank of the address, of the call, or of the connection."""

    caller: Caller
    bank_id: str

    def send(self, view_class: type[TenantView], method: str, given: Mapping[str, Any], **names: Any) -> dict[str, Any]:
        """Calls a route with a body, or with a query for GET and DELETE."""
        request = self.build_request(method, given)
        view = view_class(request=request, format_kwarg=None)
        permission = HasScope()
        if not permission.has_permission(request, view):
            raise PermissionDenied(permission.message)
        response = as_response(getattr(view, method.lower())(request, **names))
        answer: dict[str, Any] = orjson.loads(FastJSONRenderer().render(response.data))
        return answer

    def send_in_bank(
        self, view_class: type[TenantView], method: str, given: Mapping[str, Any] | None = None, **names: Any
    ) -> dict[str, Any]:
        return self.send(view_class, method, given or {}, bank_id=self.bank_id, **names)

    def build_request(self, method: str, told: Mapping[str, Any]) -> Request:
        """The caller is authenticated already, and its rate limit counted."""
        raw = HttpRequest()
        raw.method, raw.META = method, {"REMOTE_ADDR": self.caller.address or ""}
        raw.request_id = self.caller.request_id  # type: ignore[attr-defined]  # ours, read by the audit log
        raw._body = b""  # noqa: SLF001  # nothing is left to read
        request = Request(raw)
        request.auth = self.caller.identity
        if method in {"GET", "DELETE"}:
            raw.GET = write_query(told)  # type: ignore[assignment]  # Django's own is immutable
            told = {}
        request._full_data = told  # type: ignore[attr-defined]  # noqa: SLF001  # the body, as DRF would parse it
        return request

    def make_bank(self) -> None:
        """The first write makes the bank."""
        find_or_create_bank(self.caller.access, self.bank_id)


def write_query(told: Mapping[str, Any]) -> QueryDict:
    query = QueryDict(mutable=True)
    for name, value in told.items():
        values = value if isinstance(value, list) else [value]  # an empty list is no parameter
        query.setlist(name, [str(one).lower() if isinstance(one, bool) else str(one) for one in values])
    return query


@dataclass(frozen=True)
class HindsightTool:
    """`in_bank`: offered at a bank's own address. `takes_bank`: at `/mcp/` a call may name its bank."""

    name: str
    title: str
    description: str
    arguments: type[HindsightArguments]
    run: Callable[..., dict[str, Any]]
    scopes: str
    effect: Effect
    in_bank: bool
    takes_bank: bool

    @cached_property
    def arguments_with_bank(self) -> type[HindsightArguments]:
        if not self.takes_bank:
            return self.arguments
        return create_model(f"{self.name}_with_bank", __base__=(self.arguments, WithBank))

    def accepts(self, *, bound: bool) -> type[HindsightArguments]:
        return self.arguments if bound else self.arguments_with_bank

    def perform(self, caller: Caller, arguments: Mapping[str, Any], _hung_up: Event) -> dict[str, Any]:
        shape = self.accepts(bound=caller.bank_id is not None)
        read = shape.model_validate(dict(arguments))
        named = caller.bank_id or getattr(read, "bank_id", None) or caller.usual_bank
        if not is_bank_id(named):
            raise BankIdInvalid(WORDS)
        call = HindsightCall(caller, resolve_bank_id(caller.access, named))
        answer = self.run(call, read)
        unknown = sorted(make_printable(name) for name in set(arguments) - set(shape.model_fields))
        notes = [*answer.get("notes", ()), *(f"The argument '{name}' is unknown and was ignored." for name in unknown)]
        return {**answer, "notes": notes} if notes else answer

    @cached_property
    def listed(self) -> ListedTool:
        return self._list(bound=False)

    @cached_property
    def listed_in_bank(self) -> ListedTool:
        return self._list(bound=True)

    def _list(self, *, bound: bool) -> ListedTool:
        schema = without_nulls(without_titles(self.accepts(bound=bound).model_json_schema()))
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema,
            annotations=self.effect.value,
        )


def without_nulls(schema: Any) -> Any:
    """Leaves out that an optional argument may be null: it makes schemas longer, and every one may."""
    if isinstance(schema, list):
        return [without_nulls(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: without_nulls(value) for name, value in schema.items() if not (name == "default" and value is None)}
    choices = [one for one in kept.get("anyOf", ()) if one != {"type": "null"}]
    if len(choices) == 1:
        return {**choices[0], **{name: value for name, value in kept.items() if name != "anyOf"}}
    return kept


def define_tool(
    title: str,
    *,
    scopes: str = "read",
    effect: Effect = Effect.READS,
    in_bank: bool = True,
    takes_bank: bool = True,
) -> Callable[[Callable[[HindsightCall, A], dict[str, Any]]], HindsightTool]:
    """Makes a tool of a function, which gives it its name, its description and the class of its arguments."""

    def define(run: Callable[[HindsightCall, A], dict[str, Any]]) -> HindsightTool:
        _, arguments, _ = run.__annotations__.values()
        description = " ".join((run.__doc__ or "").split())
        return HindsightTool(run.__name__, title, description, arguments, run, scopes, effect, in_bank, takes_bank)

    return define
