"""The plan of a recall: recipe, channels, limits and point in time, settled before anything is searched.

A recipe says how a type of question is ranked. docs/recall.md lists the files of the other constants. The boosts are
small on purpose: a final score falls by some 1.6 % from one place to the next, so 0.02 moves a result by about a place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from banks.models import Corpus
from retrieval.channels import DECLARED
from retrieval.filters.types import Filters
from retrieval.statements import Limits, build_limits
from retrieval.types import AT_PRESENT, Analysis, Budget, Channel, PointInTime, QuestionType, RecallQuery

# A summary of several turns, or a unit that is only tied to a hit, says less about a single turn.
WEIGHTS: Mapping[Channel, float] = {Channel.GRAPH: 0.5, Channel.SUMMARIES: 0.25}
# For a question about time these channels bring units of other times: the graph harms, summaries add nothing. Semantic
# keeps a half, because nothing else finds the unit if the window was read wrongly.
ABOUT_TIME: Mapping[Channel, float] = {
    Channel.TEMPORAL: 2.0,
    Channel.SEMANTIC: 0.5,
    Channel.GRAPH: 0.0,
    Channel.SUMMARIES: 0.0,
}


@dataclass(frozen=True)
class Combination:
    """RRF of the reranker's order and the fused order, with these weights."""

    reranker: float = 1.0
    fused: float = 1.0
    k: float = 60.0


@dataclass(frozen=True)
class Boosts:
    """The greatest distance of each factor from 1; 0 switches it off. boosts.py has the formulas."""

    recency: float = 0.005  # less than a place
    half_life_days: float = 90.0
    logit_range: float = 3.0  # logits behind the reranker's best at which a third of recency is left
    cosine_range: float = 0.05  # the same behind the best cosine, if the reranker scored nothing
    validity: float = 0.5  # only downwards
    fading: float = 0.25  # only downwards: some fifteen places
    proof: float = 0.02
    proof_full: int = 10  # the count with the full boost
    importance: float = 0.02
    access: float = 0.005
    access_full: int = 100
    speaker: float = 0.1  # only upwards: some six places
    speaker_range: float | None = 3.0  # like logit_range; None: in full, however far behind


@dataclass(frozen=True)
class Passages:
    """A text of up to `whole` tokens is kept whole; a longer one is cut to a passage of at most `most`."""

    whole: int = 180
    most: int = 180


@dataclass(frozen=True)
class Recipe:
    """`weights` of the channels in the fusion: 1 if not named, and a channel with 0 is not asked.

    `depth` and `rerank_depth` are factors on the budget. `neighbour` is the share of the best neighbouring message's
    score that a message gets: an answer is often found by the words around it. `speaker` is the factor for the words of
    the person that the query is about. Both count before the reranker's candidates are chosen. A cross-encoder scores a
    reply that repeats the words as high as the words, so `boosts.speaker` counts once more after it.
    """

    weights: Mapping[Channel, float] = field(default_factory=lambda: WEIGHTS)
    depth: float = 1.0
    rerank_depth: float = 1.0
    neighbour: float = 0.5
    speaker: float = 1.6
    combination: Combination = field(default_factory=Combination)
    boosts: Boosts = field(default_factory=Boosts)
    passages: Passages = field(default_factory=Passages)

    def weigh(self, channel: Channel) -> float:
        return self.weights.get(channel, 1.0)

    def widen(self, budget: Budget) -> Budget:
        return replace(
            budget,
            nodes=round(budget.nodes * self.depth),
            rerank_depth=round(budget.rerank_depth * self.rerank_depth),
        )


DEFAULT = Recipe()
RECIPES: Mapping[QuestionType, Recipe] = {
    QuestionType.FACTUAL: DEFAULT,
    QuestionType.TEMPORAL: Recipe(weights=ABOUT_TIME),
    QuestionType.KNOWLEDGE_UPDATE: Recipe(boosts=Boosts(recency=0.02)),
    # The things to count are spread over many memories, and a missed one makes the number wrong. Each is
    # mentioned in passing, and the reranker prefers replies about such things in general, so the speaker counts fully.
    QuestionType.COUNTING: Recipe(depth=2.0, boosts=Boosts(speaker_range=None)),
    QuestionType.MULTI_HOP: DEFAULT,
    QuestionType.PREFERENCE: DEFAULT,
    QuestionType.ASSISTANT_RECALL: DEFAULT,
}


def get_recipe(kind: QuestionType) -> Recipe:
    return RECIPES[kind]


@dataclass(frozen=True)
class Plan:
    query: RecallQuery
    analysis: Analysis
    recipe: Recipe
    budget: Budget
    limits: Limits
    moment: PointInTime

    @property
    def weights(self) -> dict[Channel, float]:
        """The recipe's weights times the query's factors."""
        factors = self.query.channel_weights or {}
        return {channel: self.recipe.weigh(channel) * factors.get(channel, 1.0) for channel in Channel}

    @property
    def channels(self) -> list[Channel]:
        weighed = [channel for channel, weight in self.weights.items() if weight > 0]
        has_window = self.analysis.window is not None
        return [channel for channel in weighed if has_window or not DECLARED[channel].needs_window]

    @property
    def reads_window(self) -> bool:
        return any(DECLARED[channel].needs_window for channel in self.channels)

    def by_meaning(self) -> dict[Corpus, int]:
        """The most rows of each corpus whose nearest rows a channel reads."""
        return self.limits.of({one for channel in self.channels for one in DECLARED[channel].by_meaning})

    def by_words(self) -> dict[Corpus, int]:
        return self.limits.of({one for channel in self.channels for one in DECLARED[channel].by_words})

    @property
    def hides_texts(self) -> bool:
        """Filters or a point in time hide texts that the text index counts as current."""
        moment = self.moment
        return self.query.filters != Filters() or moment.as_of is not None or moment.known_at is not None


def build_plan(query: RecallQuery, analysis: Analysis) -> Plan:
    recipe = get_recipe(analysis.type)
    budget = recipe.widen(query.budget)
    return Plan(query, analysis, recipe, budget, build_limits(budget), find_moment(query, analysis))


def find_moment(query: RecallQuery, analysis: Analysis) -> PointInTime:
    """A question about the past sees superseded units, unless the caller names a point in time.

    It does not see corrections, which were never true.
    """
    if analysis.wants_history and query.moment == AT_PRESENT:
        return replace(query.moment, history=True, corrected=False)
    return query.moment
