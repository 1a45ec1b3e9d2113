"""Kinds of operations and the functions that perform them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryplatform.operations.errors import UnknownKind
from memoryplatform.operations.running.run import Run

Handler = Callable[[Run], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    name: str
    queue: str
    handler: Handler
    cancellable: bool


_kinds: dict[str, Kind] = {}


def operation_kind(name: str, *, queue: str, cancellable: bool = True) -> Callable[[Handler], Handler]:
    """Register a handler. It may run more than once: after a crash another worker starts it from the payload again.

    So each step either can be repeated, or commits inside `run.transaction()` together with what tells it was done;
    the last one calls `run.complete(result)` there, and is then done exactly once.
    """

    def register(handler: Handler) -> Handler:
        if name in _kinds:
            raise ValueError(f"The operation kind {name} is registered twice.")
        _kinds[name] = Kind(name, queue, handler, cancellable)
        return handler

    return register


def find_kind(name: str) -> Kind | None:
    return _kinds.get(name)


def get_kind(name: str) -> Kind:
    kind = find_kind(name)
    if kind is None:
        raise UnknownKind(f"There is no operation of the kind {name}.")
    return kind
