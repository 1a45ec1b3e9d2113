from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflection.reflect.citations import CitedText
from reflection.reflect.events import Cited, Delta
from tests.reflection.reflect.remembered import gather, make_item

GATHERED = gather(*(make_item(number) for number in range(1, 13)))
ID = "00000000-0000-0000-0000-000000000003"


def read(*pieces: str) -> CitedText:
    cited = CitedText(GATHERED)
    for piece in pieces:
        list(cited.feed(piece))
    list(cited.end())
    return cited


@pytest.mark.parametrize(
    ("written", "shown", "labels", "dropped"),
    [
        ("Yes [3].", "Yes [3].", [3], 0),
        ("Yes [3, 1; 3].", "Yes [3][1][3].", [3, 1], 0),
        ("Yes [m3] and [#2].", "Yes [3] and [2].", [3, 2], 0),
        ("Yes [3 and 4].", "Yes [3][4].", [3, 4], 0),
        (f"Yes [{ID}].", "Yes [3].", [3], 0),
        ("Yes [99].", "Yes.", [], 1),
        ("Yes [3, 99].", "Yes [3].", [3], 1),
        (f"Yes [{ID.replace('3', 'f')}].", "Yes.", [], 1),
        ("In [2023] and [sic].", "In [2023] and [sic].", [], 0),
        ("An open [3", "An open [3", [], 0),
        ("Empty [] and [ ].", "Empty [] and [ ].", [], 0),
        ("[12345678901234567890]", "[12345678901234567890]", [], 0),
    ],
)
def test_marks_of_found_memories_stay_and_others_go(written: str, shown: str, labels: list[int], dropped: int) -> None:
    cited = read(written)
    assert (cited.text, list(cited.cited), cited.dropped) == (shown, labels, dropped)


@given(st.lists(st.integers(0, 40), max_size=8))
def test_it_does_not_matter_how_the_text_is_cut(cuts: list[int]) -> None:
    text = "She [3, 99] moved [77]  to [2023] Rome [1]."
    places = sorted({0, *cuts, len(text)})
    cited = read(*(text[start:end] for start, end in pairwise(places)))
    assert (cited.text, list(cited.cited), cited.dropped) == ("She [3] moved  to [2023] Rome [1].", [3, 1], 2)


def test_what_is_shown_bit_by_bit_is_the_text_and_names_each_memory_once() -> None:
    cited = CitedText(GATHERED)
    events = [*cited.feed("She [3"), *cited.feed("] moved [99"), *cited.feed("] twice [3]. "), *cited.end()]
    assert "".join(event.text for event in events if isinstance(event, Delta)).strip() == cited.text
    assert [event.memory.label for event in events if isinstance(event, Cited)] == [3]
