"""How a mark moves the weights of the channels: a little, and never far."""

from collections.abc import Collection, Mapping

from retrieval.recipes import RRF_K
from retrieval.types import Channel

STEP = 0.01
LEAST, MOST = 0.8, 1.25  # the channels keep the order that their recipe gives them unless it is a close one
HALVINGS = 50


def learn(
    weights: Mapping[Channel, float], ranks: Mapping[Channel, int], *, useful: bool, asked: Collection[Channel]
) -> dict[Channel, float]:
    """The weights after one mark. `ranks`: where each channel had the result; `asked`: the channels that were searched.

    A channel moves by STEP times its share in the result's RRF sum, less the mean share of those that were asked: up
    for a useful result, down for another. So the mean over all channels stays what it was, and a channel that was not
    asked stays where it is.
    """
    current = {channel: weights.get(channel, 1.0) for channel in Channel}
    parts = {channel: 1 / (RRF_K + ranks[channel]) if channel in ranks else 0.0 for channel in asked}
    total = sum(parts.values())
    if total == 0:
        return current
    step = STEP if useful else -STEP
    moved = {
        channel: current[channel] + step * (part / total - 1 / len(parts)) for channel, part in sorted(parts.items())
    }
    return current | fit(moved, total=sum(current[channel] for channel in moved))


def fit(moved: Mapping[Channel, float], *, total: float) -> dict[Channel, float]:
    """The nearest weights within the bounds that sum up to `total`: all shifted alike, and cut where they leave them.

    The sum grows with the shift, so the right one is found by halving.
    """
    low, high = LEAST - MOST, MOST - LEAST
    for _ in range(HALVINGS):
        shift = (low + high) / 2
        if sum(cut(weight + shift) for weight in moved.values()) < total:
            low = shift
        else:
            high = shift
    return {channel: cut(weight + high) for channel, weight in moved.items()}


def cut(weight: float) -> float:
    return min(MOST, max(LEAST, weight))
