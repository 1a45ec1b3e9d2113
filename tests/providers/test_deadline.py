import time

from providers.deadline import Deadline


def test_without_a_limit_there_is_always_room() -> None:
    assert Deadline.after(None).has_room_for(1e9)
    assert not Deadline.after(None).is_over


def test_there_is_room_for_work_that_ends_before_the_deadline() -> None:
    deadline = Deadline.after(10)
    assert deadline.has_room_for(9)
    assert not deadline.has_room_for(11)
    assert 9 < deadline.remaining() <= 10


def test_a_deadline_of_no_time_has_no_room() -> None:
    assert not Deadline.after(0).has_room_for(0)


def test_a_deadline_that_has_passed_has_no_room() -> None:
    deadline = Deadline.after(0.001)
    time.sleep(0.002)
    assert not deadline.has_room_for(0)
    assert deadline.is_over
    assert deadline.remaining() == 0.0
