import pytest

from providers.deadline import Deadline


def test_a_search_that_keeps_a_share_ends_one_share_earlier() -> None:
    deadline = Deadline(share=2.0, at=100.0)
    assert deadline.without_one_share() == Deadline(share=2.0, at=98.0)


def test_where_nothing_presses_there_is_no_share_to_keep() -> None:
    assert Deadline().without_one_share() == Deadline()


def test_the_time_of_a_model_is_added() -> None:
    assert Deadline(share=2.0, at=100.0).shifted(0.5) == Deadline(share=2.0, at=100.5)


def test_no_statement_begins_when_the_time_is_over() -> None:
    with pytest.raises(TimeoutError):
        Deadline(share=2.0, at=0.0).next_share()
