"""Confidence: how far a verdict moves an opinion (formula 26)."""

from django.conf import settings

from banks.models import Bank
from reflection.opinions.claims import Verdict

# Formula 26 in steps: reinforce c + alpha, weaken c - alpha, contradict c - 2 alpha, neutral c.
STEPS = {Verdict.REINFORCE: 1, Verdict.WEAKEN: -1, Verdict.CONTRADICT: -2, Verdict.NEUTRAL: 0}
DIGITS = 6  # 0.85 - 0.30 is 0.55, and the same moves give the same number everywhere
EVEN = 0.5
MIDDLE_SKEPTICISM = 3
CAUTION = 0.25  # of the step, for each point of skepticism: factor 1.5 at skepticism 1, factor 0.5 at skepticism 5


def move(confidence: float, verdict: Verdict, *, step: float) -> float:
    """Stays within [0, 1]."""
    return min(1.0, max(0.0, round(confidence + STEPS[verdict] * step, DIGITS)))


def start_reversed(facts: int, *, step: float) -> float:
    """The confidence of an opinion that turned into its opposite: even odds, and a step for each fact behind it.

    The former confidence says nothing about the opposite, so formula 26 does not continue from it.
    """
    return min(1.0, round(EVEN + facts * step, DIGITS))


def choose_step(bank: Bank) -> float:
    """The alpha of the bank, or of the deployment, smaller for a more skeptical disposition (section 5.5)."""
    alpha = settings.OPINION_STEP if bank.opinion_step is None else bank.opinion_step
    caution = 1.0 - CAUTION * (bank.skepticism - MIDDLE_SKEPTICISM)
    return min(1.0, round(alpha * caution, DIGITS))


def choose_reach(bank: Bank) -> float:
    """The theta of formula 25."""
    return settings.OPINION_REACH if bank.opinion_reach is None else bank.opinion_reach
