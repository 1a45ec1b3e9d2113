"""The scale of string similarity. Rules set the values, not the number of equal letters.

With the weights of `banks.entities.resolution.scoring`, LIKELY or more means the same entity without other evidence.
DOUBTFUL needs agreeing companions. FAINT always leads to a question, and WEAK leads to a question at most.
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
_UNLIKE = 0.5  # the maximum for two names that no rule relates


def build_unlike(resemblance: float) -> Likeness:
    return Likeness(value=_UNLIKE * resemblance, rule="unrelated")


@lru_cache(maxsize=100)
def build_veto(reason: str) -> Likeness:
    return Likeness(value=0.0, rule="contradiction", veto=reason)
