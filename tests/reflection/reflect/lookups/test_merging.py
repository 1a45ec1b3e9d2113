from reflection.reflect.lookups.merging import leave_out_known, merge
from tests.reflection.reflect.remembered import gather, make_item

ONE, TWO, THREE = (make_item(number) for number in (1, 2, 3))  # of five tokens each


def test_what_two_look_ups_found_comes_before_what_one_did() -> None:
    assert merge([[ONE, TWO], [THREE, TWO]], max_tokens=100) == [TWO, ONE, THREE]


def test_the_tokens_hold_for_all_together_and_for_one_alone() -> None:
    assert merge([[ONE, TWO], [THREE]], max_tokens=10) == [ONE, THREE]
    assert merge([[ONE, TWO, THREE]], max_tokens=10) == [ONE, TWO]


def test_what_is_known_makes_room_for_others() -> None:
    assert leave_out_known([ONE, TWO], gather(ONE)) == [TWO]
