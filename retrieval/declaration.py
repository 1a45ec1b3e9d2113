from collections.abc import Callable
from dataclasses import dataclass

from banks.models import Corpus
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit

NOTHING: frozenset[Corpus] = frozenset()


@dataclass(frozen=True)
class Declaration:
    """A channel: how it finds its hits, best first, and what must be looked up before it can.

    `by_meaning` and `by_words` are the corpora that it reads: what no channel reads is in no statement, so its table
    may be locked. One that `has_statements` of its own works beside the others. One that `needs_window` is asked only
    where a time is asked about.
    """

    name: Channel
    search: Callable[[Lookups], list[Hit]]
    by_meaning: frozenset[Corpus] = NOTHING
    by_words: frozenset[Corpus] = NOTHING
    has_statements: bool = False
    needs_window: bool = False
