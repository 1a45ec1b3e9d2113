"""The steps on the scale of string similarity, fixed by rule instead of by counting letters.

With the weights of `banks.entities.resolution.score` a name at LIKELY or above is the same without other evidence,
DOUBTFUL needs company that agrees, FAINT is asked about in any company, and WEAK is asked about at most.
"""

from functools import lru_cache

from banks.entities.types import Likeness

EXACT = 1.0
KNOWN_ALIAS = 0.99
CERTAIN = 0.96
STRONG = 0.93
LIKELY = 0.89
DOUBTFUL = 0.78
FAINT = 0.69
WEAK = 0.66
_UNLIKE = 0.5  # what two names that no rule relates can reach at most


def unlike(resemblance: float) -> Likeness:
    return Likeness(value=_UNLIKE * resemblance, rule="unrelated")


@lru_cache(maxsize=100)
def vetoed(reason: str) -> Likeness:
    return Likeness(value=0.0, rule="contradiction", veto=reason)
