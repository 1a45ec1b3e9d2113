from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from banks.retain.engines.protocol import Engine
from banks.retain.store_units import StoredUnit
from providers.embedding.protocol import Embedder
from providers.usage import Usage


@dataclass(frozen=True)
class Tools:
    """What the steps work with. `write` opens the transaction of every write: an operation's is fenced."""

    engine: Engine
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]
    report: Callable[[int, int], None] = lambda _done, _total: None


@dataclass(frozen=True)
class Retained:
    """What came of one passage; `error` where its facts could not be read."""

    units: tuple[StoredUnit, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
