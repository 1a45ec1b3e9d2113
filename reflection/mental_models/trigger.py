"""When a mental model is written anew, and from what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from banks.words import Network
from reflection.reflect.response_schema import SchemaInvalid, check_schema
from retrieval.filters.types import AllOf, AnyOf, Not, TagCondition, TagMatch, Tags

Mode = Literal["full", "delta"]


@dataclass(frozen=True)
class Trigger:
    """`mode` delta: a refresh leaves the content as it is where no memory in its scope is new.

    `tags_match` is how the model's tags choose memories; None: they must have each of them. `tag_groups`, as they come
    over the wire, take the place of its tags.
    """

    mode: Mode = "full"
    refresh_after_consolidation: bool = False
    min_refresh_interval_seconds: int | None = None
    budget: Literal["low", "mid", "high"] | None = None
    fact_types: tuple[Network, ...] | None = None
    tags_match: TagMatch | None = None
    tag_groups: tuple[dict[str, Any], ...] | None = None
    recall_max_tokens: int | None = None
    response_schema: dict[str, Any] | None = None


TRIGGER = TypeAdapter(Trigger)
DEFAULTS: Mapping[str, Any] = TRIGGER.dump_python(Trigger(), mode="json")


def read_trigger(stored: Mapping[str, Any]) -> Trigger:
    return TRIGGER.validate_python(dict(stored))


def check_trigger(given: Any) -> None:
    """Raises ValueError for one from elsewhere that is none."""
    if not isinstance(given, dict) or set(given) != set(DEFAULTS):
        raise ValueError("these are not the settings of a trigger")
    try:
        trigger = TRIGGER.validate_python(given)
        build_condition(trigger, ())
        if trigger.response_schema is not None:
            check_schema(trigger.response_schema)
    except (ValidationError, SchemaInvalid, KeyError, TypeError) as fault:
        raise ValueError("a setting of the trigger is at fault") from fault


def build_condition(trigger: Trigger, tags: tuple[str, ...]) -> TagCondition | None:
    """Of the memories that a refresh may see. A model with tags sees nothing that was meant for others."""
    if trigger.tag_groups is not None:
        return AllOf(tuple(read_group(group) for group in trigger.tag_groups))
    return Tags(tags, trigger.tags_match or "all_strict") if tags else None


def read_group(group: Mapping[str, Any]) -> TagCondition:
    """One that was checked when it came."""
    match group:
        case {"and": children}:
            return AllOf(tuple(map(read_group, children)))
        case {"or": children}:
            return AnyOf(tuple(map(read_group, children)))
        case {"not": inner}:
            return Not(read_group(inner))
    return Tags(tuple(group["tags"]), group.get("match", "any_strict"))
