"""How each type of question is ranked, as data: weights, combination, boosts, passages. docs/recall.md tells where the
other constants of a recall stand.

The strengths of the boosts are small on purpose: a final score falls by some 1.6 % from one place to the next, so 0.02
moves a result by about a place.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from retrieval.types import Budget, Channel, QuestionType

# RRF (Cormack 2009): sum of 1 / (k + rank), rank from 1, k = 60.
RRF_K = 60


# What summarises several turns, or is only tied to what was found, says less about a single one.
WEIGHTS: Mapping[Channel, float] = {Channel.GRAPH: 0.5, Channel.SUMMARIES: 0.25}
# Of a question about time these bring what happened at other times: the graph harms, summaries add nothing, and what is
# near in meaning is worth a half, for where the time was read wrongly nothing else finds it.
ABOUT_TIME: Mapping[Channel, float] = {Channel.SEMANTIC: 0.5, Channel.GRAPH: 0.0, Channel.SUMMARIES: 0.0}


@dataclass(frozen=True)
class Combination:
    """How the reranker's order and the fused order make one: RRF of the two, with these weights."""

    reranker: float = 1.0
    fused: float = 0.25
    k: float = RRF_K


@dataclass(frozen=True)
class Boosts:
    """The most that each factor may be away from 1; 0 switches it off. How they run is in boosts.py."""

    recency: float = 0.005  # with the half that it lowers, less than a place
    half_life_days: float = 90.0
    logit_range: float = 3.0  # so far behind the reranker's best, in logits, a third of recency is left
    cosine_range: float = 0.05  # and so far behind the best cosine, where the reranker scored nothing, of recency
    validity: float = 0.5  # only downwards
    fading: float = 0.25  # only downwards: some fifteen places
    proof: float = 0.02
    proof_full: int = 10  # sources from which more say nothing more
    importance: float = 0.02
    access: float = 0.005
    access_full: int = 100
    speaker: float = 0.1  # only upwards: some six places
    speaker_range: float | None = 3.0  # as logit_range; None: in full, however far behind
    window: float = 0.0  # only upwards: for what lies in the time that is asked for


@dataclass(frozen=True)
class Passages:
    """A text of up to `whole` tokens is kept whole; of a longer one a passage of at most `most` matters."""

    whole: int = 180
    most: int = 180


@dataclass(frozen=True)
class Recipe:
    """`weights`: of the channels in the fusion; a channel that is not named weighs 1, one that weighs 0 is not asked.

    `depth` times the rows of a channel and `rerank_depth` times the pairs of the budget are looked at.
    `speaker` is the factor for the words of the one that the query is about, before the reranker chooses what it reads;
    a cross-encoder finds the reply that repeats them as good, so `boosts.speaker` counts once more after it.
    """

    weights: Mapping[Channel, float] = field(default_factory=lambda: WEIGHTS)
    depth: float = 1.0
    rerank_depth: float = 1.0
    speaker: float = 1.2
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
    # What is counted is spread over many memories, and one that is missed makes the number wrong. Each tells of one of
    # the things, often in passing: replies about such things at large read better, so whose words it is counts in full.
    QuestionType.COUNTING: Recipe(depth=2.0, boosts=Boosts(speaker_range=None)),
    QuestionType.MULTI_HOP: DEFAULT,
    QuestionType.PREFERENCE: DEFAULT,
    QuestionType.ASSISTANT_RECALL: DEFAULT,
}


# Where all of a time is asked for, what lies in it is the answer, however little it resembles the question.
WHOLE_TIME_WEIGHT = 4.0
WHOLE_TIME_BOOST = 1.0


def get_recipe(kind: QuestionType, *, is_of_whole_time: bool = False) -> Recipe:
    recipe = RECIPES[kind]
    if not is_of_whole_time:
        return recipe
    weights = {**recipe.weights, Channel.TEMPORAL: WHOLE_TIME_WEIGHT}
    return replace(recipe, weights=weights, boosts=replace(recipe.boosts, window=WHOLE_TIME_BOOST))
