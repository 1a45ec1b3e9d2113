from reflection.reflect.found_memories import merge_results
from tests.reflection.reflect.remembered import gather, make_item

ONE, TWO, THREE = (make_item(number) for number in (1, 2, 3))  # five tokens each


def test_a_memory_of_two_look_ups_comes_before_one_of_a_single_look_up() -> None:
    assert merge_results([[ONE, TWO], [THREE, TWO]], max_tokens=100) == [TWO, ONE, THREE]


def test_the_tokens_hold_for_all_together_and_for_one_alone() -> None:
    assert merge_results([[ONE, TWO], [THREE]], max_tokens=10) == [ONE, THREE]
    assert merge_results([[ONE, TWO, THREE]], max_tokens=10) == [ONE, TWO]


def test_a_memory_that_is_found_again_keeps_its_number() -> None:
    found = gather(ONE)
    assert [(one.label, one.item) for one in found.add([ONE, TWO])] == [(2, TWO)]
    assert (len(found), ONE.candidate.id in found, THREE.candidate.id in found) == (2, True, False)


def test_a_model_can_name_only_the_memories_that_it_was_shown() -> None:
    found = gather(ONE)
    found.add([TWO])
    assert found.find_shown("1") == found.find_shown("#1") == found.find_shown(str(ONE.candidate.id))
    assert [found.find_shown(name) for name in ("2", str(TWO.candidate.id), "9", "Alice")] == [None] * 4
