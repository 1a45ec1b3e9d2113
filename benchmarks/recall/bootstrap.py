"""95 % confidence intervals by bootstrapping over the questions with a fixed seed."""

from collections.abc import Sequence

import numpy as np

DRAWS = 1_000
SEED = 20_230_527
LOWER, UPPER = 2.5, 97.5


def find_interval(values: Sequence[float]) -> list[float]:
    drawn = np.random.default_rng(SEED).choice(np.asarray(values), size=(DRAWS, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [LOWER, UPPER])
    return [round(float(low), 4), round(float(high), 4)]
