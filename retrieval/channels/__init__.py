"""The channels of recall: one file for each way to search, with its SQL, and their declarations here.

A new channel needs a file, a name in `types.Channel`, a declaration here, a line in docs/recall.md, and a weight in
recipes.py if it is not 1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from banks.models import Corpus
from retrieval.channels.archive import (
    SUMMARIES,
    search_chunks_by_meaning,
    search_chunks_by_words,
    search_summaries,
)
from retrieval.channels.graph import search_graph
from retrieval.channels.keyword import search_keyword
from retrieval.channels.lookups import Lookups
from retrieval.channels.semantic import search_semantic
from retrieval.channels.temporal import search_temporal
from retrieval.types import Channel, Hit

NONE: frozenset[Corpus] = frozenset()
UNITS = frozenset({Corpus.UNIT})
CHUNKS = frozenset({Corpus.CHUNK})


@dataclass(frozen=True)
class Declaration:
    """How a channel finds its hits, best first, and which look-ups must come before.

    `by_meaning` and `by_words` are the corpora that it reads. A corpus that no channel reads is in no statement, so its
    table may be locked. A channel that `has_statements` of its own runs beside the others; one that `needs_window` is
    asked only if the query names a time.
    """

    search: Callable[[Lookups], list[Hit]]
    by_meaning: frozenset[Corpus] = NONE
    by_words: frozenset[Corpus] = NONE
    has_statements: bool = False
    needs_window: bool = False


def read_keyword(lookups: Lookups) -> list[Hit]:
    visible = lookups.visible_units()
    return search_keyword(lookups.words().get(Corpus.UNIT, ()), visible, lookups.query.limits.rows)


def read_temporal(lookups: Lookups) -> list[Hit]:
    window = lookups.query.analysis.window
    return search_temporal(lookups.query, window) if window else []


def read_archive(lookups: Lookups) -> list[Hit]:
    lookups.nearest(Corpus.CHUNK)
    return search_chunks_by_meaning(lookups.sources(), lookups.resolved(), lookups.query.limits.rows)


def read_archive_words(lookups: Lookups) -> list[Hit]:
    lookups.check_archive(Corpus.CHUNK)
    units = lookups.words().get(Corpus.UNIT, ())
    return search_chunks_by_words(lookups.sources(), lookups.resolved(), units, lookups.query.limits.rows)


def read_summaries(lookups: Lookups) -> list[Hit]:
    lookups.check_archive(*SUMMARIES)
    return search_summaries(lookups.sources(), lookups.resolved(), lookups.query.limits.rows)


# Channels with statements of their own start in this order: the graph waits for the nearest units before its first.
DECLARED: Mapping[Channel, Declaration] = {
    Channel.SEMANTIC: Declaration(lambda lookups: search_semantic(lookups.nearest_units()), by_meaning=UNITS),
    Channel.KEYWORD: Declaration(read_keyword, by_words=UNITS),
    Channel.TEMPORAL: Declaration(read_temporal, has_statements=True, needs_window=True),
    Channel.GRAPH: Declaration(
        lambda lookups: search_graph(lookups.nearest_units(), lookups.query), by_meaning=UNITS, has_statements=True
    ),
    Channel.ARCHIVE: Declaration(read_archive, by_meaning=CHUNKS),
    Channel.ARCHIVE_WORDS: Declaration(read_archive_words, by_words=UNITS | CHUNKS),
    Channel.SUMMARIES: Declaration(read_summaries, by_meaning=frozenset(SUMMARIES), by_words=frozenset(SUMMARIES)),
}
