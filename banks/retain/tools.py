"""The collaborators of retain, and the outcome of one passage."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from banks.lifecycle.deleting import Removed
from banks.lifecycle.planning import Planners
from banks.retain.engine import Engine
from banks.types import StoredUnit
from banks.vectors import Step, report_nothing
from providers.embedding.protocol import Embedder
from providers.usage import Usage


@dataclass(frozen=True)
class Tools:
    """`write` opens the transaction of every write. The transaction of an operation checks its fencing token.

    `report` gets the number of finished passages, `step` the progress within a long one. Both raise if the operation
    was cancelled. `removed` gets the rows that were deleted with the earlier text of a document, in the transaction
    that deletes them.
    """

    engine: Engine
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]
    report: Callable[[int, int], None] = lambda _done, _total: None
    step: Step = report_nothing
    removed: Callable[[Removed], None] = lambda _removed: None

    @property
    def planners(self) -> Planners:
        return Planners(self.engine.judge, self.engine.identifier, self.embedder)


@dataclass(frozen=True)
class Retained:
    """`error` says that the passage could not be read, `note` that its source was deleted or replaced."""

    units: tuple[StoredUnit, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    note: str = ""
