"""How many rows each look-up may bring, and how long it may take, by budget."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from banks.models import Corpus
from retrieval.deadline import Deadline
from retrieval.filters.types import Filters
from retrieval.graph.rules import SPREAD
from retrieval.types import Budget, PointInTime

# A chunk holds some eight turns and an episode up to 25, so a few of them bring many units.
ARCHIVE_SHARES: Mapping[Corpus, float] = {Corpus.CHUNK: 0.25, Corpus.EPISODE: 0.05, Corpus.RELATIONSHIP: 0.1}
# A hop is a statement, and a small budget has eight for the whole recall: the bank, the nearest, the words, what they
# resolve to, the window, two hops, and the reading.
FEW_NODES, FEW_HOPS = 200, 2
# The text index knows neither filters nor moments: what they hide is taken from its list afterwards.
HIDING_DEPTH = 5
SECONDS_A_STATEMENT = 1.0  # a hundred times what one takes; time that the reranker may take comes on top
# So many shares a recall has: for the search, for what is searched again without what was late, and for the reading.
SHARES = 3


@dataclass(frozen=True)
class Limits:
    """`seconds` is the share of one statement; None where a run must come out the same each time.

    `nodes` and `hops` bound the walk over the graph, `rows` the lists of the other channels.
    """

    rows: int
    nodes: int
    hops: int
    words: int
    sources: Mapping[Corpus, int]
    seconds: float | None

    def at(self, moment: PointInTime) -> "Limits":
        """Whoever asks for then does not see what came later, however well its words fit."""
        if moment.as_of is None and moment.known_at is None:
            return self
        return replace(self, words=self.rows * HIDING_DEPTH)

    def start_clock(self) -> Deadline:
        return Deadline.after(None if self.seconds is None else SHARES * self.seconds, share=self.seconds)

    def by_meaning(self, wanted: Container[Corpus]) -> dict[Corpus, int]:
        return {corpus: most for corpus, most in {Corpus.UNIT: self.rows, **self.sources}.items() if corpus in wanted}

    def by_words(self, wanted: Container[Corpus]) -> dict[Corpus, int]:
        return {corpus: most for corpus, most in {Corpus.UNIT: self.words, **self.sources}.items() if corpus in wanted}


def build_limits(budget: Budget, filters: Filters) -> Limits:
    return Limits(
        rows=budget.nodes,
        nodes=budget.nodes,
        hops=FEW_HOPS if budget.nodes <= FEW_NODES else SPREAD.most_hops,
        words=budget.nodes * (1 if filters == Filters() else HIDING_DEPTH),
        sources={corpus: max(1, round(budget.nodes * share)) for corpus, share in ARCHIVE_SHARES.items()},
        seconds=None if budget.rerank_seconds is None else SECONDS_A_STATEMENT + budget.rerank_seconds,
    )
