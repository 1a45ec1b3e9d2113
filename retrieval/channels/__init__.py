"""The ways to find a memory: one file a channel, with its search and its declaration.

A new one needs, beside its file: a name in `types.Channel`, a place in DECLARED, a line in docs/recall.md, and a weight
in recipes.py where it is not 1.
"""

from collections.abc import Mapping

from retrieval.channels.archive import ARCHIVE
from retrieval.channels.archive_words import ARCHIVE_WORDS
from retrieval.channels.graph import GRAPH
from retrieval.channels.keyword import KEYWORD
from retrieval.channels.semantic import SEMANTIC
from retrieval.channels.summaries import SUMMARIES
from retrieval.channels.temporal import TEMPORAL
from retrieval.declaration import Declaration
from retrieval.types import Channel

# Of those that have statements, the first is started first: the graph waits for others' before it has its own.
DECLARED: Mapping[Channel, Declaration] = {
    one.name: one for one in (SEMANTIC, KEYWORD, TEMPORAL, GRAPH, ARCHIVE, ARCHIVE_WORDS, SUMMARIES)
}
