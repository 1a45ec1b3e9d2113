"""What a recall will do, settled before anything is searched."""

from dataclasses import dataclass, replace

from banks.models import Corpus
from retrieval.channels import DECLARED
from retrieval.limits import Limits, build_limits
from retrieval.query.reading import Reading
from retrieval.recipes import Recipe, get_recipe
from retrieval.types import Budget, Channel, PointInTime, RecallQuery


@dataclass(frozen=True)
class Plan:
    query: RecallQuery
    reading: Reading
    recipe: Recipe
    budget: Budget
    limits: Limits
    moment: PointInTime

    @property
    def weights(self) -> dict[Channel, float]:
        """The recipe's, times what the query says of a channel."""
        factors = self.query.channel_weights or {}
        return {channel: self.recipe.weigh(channel) * factors.get(channel, 1.0) for channel in Channel}

    @property
    def channels(self) -> list[Channel]:
        """Those that have a weight, and what they need."""
        weighed = [channel for channel, weight in self.weights.items() if weight > 0]
        has_window = self.reading.window is not None
        return [channel for channel in weighed if has_window or not DECLARED[channel].needs_window]

    @property
    def reads_window(self) -> bool:
        return any(DECLARED[channel].needs_window for channel in self.channels)

    def by_meaning(self) -> dict[Corpus, int]:
        """The most rows of each corpus whose nearest a channel reads."""
        return self.limits.by_meaning({one for channel in self.channels for one in DECLARED[channel].by_meaning})

    def by_words(self) -> dict[Corpus, int]:
        return self.limits.by_words({one for channel in self.channels for one in DECLARED[channel].by_words})


def build_plan(query: RecallQuery, reading: Reading) -> Plan:
    recipe = get_recipe(reading.type, is_of_whole_time=reading.is_of_whole_time)
    budget = recipe.widen(query.budget)
    return Plan(query, reading, recipe, budget, build_limits(budget, query.filters), find_moment(query, reading))


def find_moment(query: RecallQuery, reading: Reading) -> PointInTime:
    """A query that asks how things were sees what was superseded, unless it names a point in time itself.

    What was put right was never so: it shows only to a caller who asks for all there is.
    """
    asked = query.moment
    if reading.wants_history and asked == PointInTime():
        return replace(asked, history=True, corrected=False)
    return asked
