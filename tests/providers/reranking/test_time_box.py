import time

import pytest

from providers.reranking.time_box import Pace, TimeBox


def test_without_a_limit_there_is_always_room() -> None:
    assert TimeBox.starting_now(None).has_room_for(1e9)


def test_there_is_room_for_what_ends_before_the_box_does() -> None:
    box = TimeBox.starting_now(10)
    assert box.has_room_for(9)
    assert not box.has_room_for(11)


def test_a_box_of_no_time_has_no_room() -> None:
    assert not TimeBox.starting_now(0).has_room_for(0)


def test_a_box_that_has_ended_has_no_room() -> None:
    box = TimeBox.starting_now(0.001)
    time.sleep(0.002)
    assert not box.has_room_for(0)


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
