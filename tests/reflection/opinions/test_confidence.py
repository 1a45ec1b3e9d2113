"""Formula 26 (confidence update): within bounds, by the step, and smaller for a skeptical agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banks.models import Bank
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import choose_reach, choose_step, move

SHARES = st.floats(0.0, 1.0)
STEPS = st.floats(0.001, 0.999)
VERDICTS = st.sampled_from(Verdict)


@given(SHARES, STEPS, st.lists(VERDICTS, max_size=30))
def test_confidence_stays_within_bounds_and_the_same_stream_has_the_same_end(
    start: float, step: float, verdicts: list[Verdict]
) -> None:
    ends = []
    for _ in range(2):
        confidence = start
        for verdict in verdicts:
            confidence = move(confidence, verdict, step=step)
            assert 0.0 <= confidence <= 1.0
        ends.append(confidence)
    assert ends[0] == ends[1]


@given(SHARES, STEPS)
def test_each_verdict_moves_in_its_direction(start: float, step: float) -> None:
    after = {verdict: move(start, verdict, step=step) for verdict in Verdict}
    assert after[Verdict.CONTRADICT] <= after[Verdict.WEAKEN] <= after[Verdict.NEUTRAL] <= after[Verdict.REINFORCE]
    assert after[Verdict.NEUTRAL] == pytest.approx(start, abs=1e-6)


def test_the_numbers_of_the_paper() -> None:
    confidence = move(0.70, Verdict.REINFORCE, step=0.15)
    assert (confidence, move(confidence, Verdict.CONTRADICT, step=0.15)) == (0.85, 0.55)


def test_a_more_cautious_disposition_takes_smaller_steps() -> None:
    steps = [choose_step(Bank(skepticism=skepticism, opinion_step=0.2)) for skepticism in range(1, 6)]
    assert steps == [0.3, 0.25, 0.2, 0.15, 0.1]


def test_the_bank_decides_before_the_deployment() -> None:
    assert (choose_step(Bank()), choose_reach(Bank())) == (0.15, 0.7)
    assert (choose_step(Bank(opinion_step=0.05)), choose_reach(Bank(opinion_reach=0.0))) == (0.05, 0.0)


def test_no_step_is_longer_than_the_whole_way() -> None:
    assert choose_step(Bank(opinion_step=0.9, skepticism=1)) == 1.0
