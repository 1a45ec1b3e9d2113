"""What a recall will do, settled before anything is searched."""

from dataclasses import dataclass, replace

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
        """Those that have a weight; the temporal one only where a time is asked about."""
        weighed = [channel for channel, weight in self.weights.items() if weight > 0]
        return [channel for channel in weighed if channel != Channel.TEMPORAL or self.reading.window is not None]


def build_plan(query: RecallQuery, reading: Reading) -> Plan:
    recipe = get_recipe(reading.type)
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
