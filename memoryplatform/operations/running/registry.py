"""The kinds of operations and their handlers.

The first look-up imports every file of `memoryplatform/operations/kinds/`, which registers them. Commands that need no
operation start without those imports.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pkgutil import iter_modules
from threading import Lock
from typing import Any

import structlog

from memoryplatform.operations.errors import OperationError, UnknownKind
from memoryplatform.operations.running.run import Run, load_bank

Handler = Callable[[Run], dict[str, Any]]
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Kind:
    name: str
    queue: str
    handler: Handler
    cancellable: bool


KINDS_PACKAGE = "memoryplatform.operations.kinds"
_kinds: dict[str, Kind] = {}
_loading = Lock()  # threads that import the same circle of modules at once would wait for each other


def operation_kind(name: str, *, queue: str, cancellable: bool = True) -> Callable[[Handler], Handler]:
    """Register a handler. It may run more than once: after a crash another worker starts it from the payload again.

    So each step must be repeatable, or commit inside `run.transaction()` together with a note that it is done. The last
    step calls `run.complete(result)` there and is done exactly once.
    """

    def register(handler: Handler) -> Handler:
        if name in _kinds:
            raise ValueError(f"The operation kind {name} is registered twice.")
        _kinds[name] = Kind(name, queue, handler, cancellable)
        return handler

    return register


def load_kinds() -> None:
    with _loading:
        for module in iter_modules(import_module(KINDS_PACKAGE).__path__, f"{KINDS_PACKAGE}."):
            import_module(module.name)


def find_kind(name: str) -> Kind | None:
    if name not in _kinds:
        load_kinds()
    return _kinds.get(name)


def get_kind(name: str) -> Kind:
    kind = find_kind(name)
    if kind is None:
        raise UnknownKind(f"There is no operation of the kind {name}.")
    return kind


def ends_with_its_bank(handler: Handler) -> Handler:
    """Turn any failure after the deletion of the bank into a permanent one that is no error.

    Such a failure may be a row that can't point at the bank, or a bank that is not found. A retry can't help.
    """

    @wraps(handler)
    def handle(run: Run) -> dict[str, Any]:
        try:
            return handler(run)
        except OperationError:
            raise
        except Exception as error:
            try:
                load_bank(run)
            except OperationError:
                log.info("operation.bank_deleted", failed_with=type(error).__name__)
                raise
            raise

    return handle
