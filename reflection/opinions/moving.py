"""How far evidence moves an opinion (formula 26)."""

from django.conf import settings

from banks.models import Bank
from reflection.opinions.types import Verdict

# Formula 26 in steps: reinforce c + alpha, weaken c - alpha, contradict c - 2 alpha, neutral c.
STEPS = {Verdict.REINFORCE: 1, Verdict.WEAKEN: -1, Verdict.CONTRADICT: -2, Verdict.NEUTRAL: 0}
DIGITS = 6  # so that 0.85 - 0.30 is 0.55, and the same moves give the same number everywhere
MIDDLE_SKEPTICISM = 3
CAUTION = 0.25  # of the step, for each point of skepticism: 1.5 at the most trusting, 0.5 at the most skeptical


def move(confidence: float, verdict: Verdict, *, step: float) -> float:
    """Stays within [0, 1]."""
    return min(1.0, max(0.0, round(confidence + STEPS[verdict] * step, DIGITS)))


def choose_step(bank: Bank) -> float:
    """The alpha of the bank, or of the deployment, smaller for a more cautious disposition (5.5)."""
    alpha = settings.OPINION_STEP if bank.opinion_step is None else bank.opinion_step
    return min(1.0, round(alpha * build_caution(bank.skepticism), DIGITS))


def build_caution(skepticism: int) -> float:
    return 1.0 - CAUTION * (skepticism - MIDDLE_SKEPTICISM)


def choose_reach(bank: Bank) -> float:
    """The theta of formula 25."""
    return settings.OPINION_REACH if bank.opinion_reach is None else bank.opinion_reach
