import pytest

from providers.reranking.pace import Pace


def test_the_first_piece_of_work_sets_the_pace() -> None:
    pace = Pace()
    pace.learn(work=10, seconds=1)
    assert pace.predict(20) == pytest.approx(2)


def test_a_stall_among_many_does_not_change_the_pace() -> None:
    pace = Pace()
    for seconds in (1, 1, 1, 60, 1, 60, 1):
        pace.learn(work=10, seconds=seconds)
    assert pace.predict(10) == pytest.approx(1)


def test_a_machine_that_stays_slow_or_gets_quick_changes_it_soon() -> None:
    pace = Pace()
    for seconds in (*[1] * 30, *[4] * 8):
        pace.learn(work=10, seconds=seconds)
    assert pace.predict(10) == pytest.approx(4)
    for _ in range(8):
        pace.learn(work=10, seconds=0.5)
    assert pace.predict(10) == pytest.approx(0.5)


def test_hope_lowers_the_prediction() -> None:
    pace = Pace()
    pace.learn(work=1, seconds=1)
    pace.hope()
    assert pace.predict(1) == pytest.approx(0.9)
