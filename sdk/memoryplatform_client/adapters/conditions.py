"""The filters of a LangGraph store, on the value of an item."""

from collections.abc import Callable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, wanted: bool(value == wanted),
    "$ne": lambda value, wanted: bool(value != wanted),
    "$gt": lambda value, wanted: float(value) > float(wanted),
    "$gte": lambda value, wanted: float(value) >= float(wanted),
    "$lt": lambda value, wanted: float(value) < float(wanted),
    "$lte": lambda value, wanted: float(value) <= float(wanted),
}


def satisfies(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(is_as_wanted(value.get(name), one) for name, one in (wanted or {}).items())


def is_as_wanted(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(value is not None and find_operator(name)(value, one) for name, one in wanted.items())
    return isinstance(value, Mapping) and satisfies(value, wanted)


def find_operator(name: str) -> Callable[[Any, Any], bool]:
    if name not in OPERATORS:
        raise ValueError(f"{name!r} is no operator of a store: {', '.join(OPERATORS)}.")
    return OPERATORS[name]


def matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """`*` stands for any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(labels, path, strict=True))
