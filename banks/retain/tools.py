from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from uuid import UUID

from banks.lifecycle.delete import Removed
from banks.retain.engines.protocol import Engine
from banks.retain.steps import Step, unnoticed
from banks.retain.storing.units import StoredUnit
from providers.embedding.protocol import Embedder
from providers.usage import Usage


@dataclass(frozen=True)
class Tools:
    """What the steps work with. `write` opens the transaction of every write: an operation's is fenced.

    `report` tells how many passages are done; `step` how far a long one is, and is where a cancelled operation ends.
    `removed` is told what went with the earlier text of a document, in the transaction that deletes it.
    """

    engine: Engine
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]
    report: Callable[[int, int], None] = lambda _done, _total: None
    step: Step = unnoticed
    removed: Callable[[Removed], None] = lambda _removed: None
    longest_passage: int | None = None  # characters that the engine is given at once; None: it bounds itself


@dataclass(frozen=True)
class Retained:
    """What came of one passage; `error` where its facts could not be read, `note` where they are no longer wanted."""

    units: tuple[StoredUnit, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    note: str = ""

    @property
    def new_ids(self) -> tuple[UUID, ...]:
        return tuple(dict.fromkeys(unit.id for unit in self.units if unit.is_new))

    @property
    def proven_ids(self) -> tuple[UUID, ...]:
        return tuple(dict.fromkeys(unit.id for unit in self.units if not unit.is_new))

    @property
    def closed_ids(self) -> tuple[UUID, ...]:
        return tuple(dict.fromkeys(unit_id for unit in self.units for unit_id in unit.closed))

    @property
    def entity_ids(self) -> tuple[UUID, ...]:
        """Of all units, also those that were only proven: what is known of them has changed."""
        return tuple(dict.fromkeys(entity_id for unit in self.units for entity_id in unit.entity_ids))
