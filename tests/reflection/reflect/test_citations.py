from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflection.reflect.citations import CitedText
from reflection.reflect.types import Cited, Delta
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
        ("Yes [1-3].", "Yes [1][2][3].", [1, 2, 3], 0),
        ("Yes [1\u20133].", "Yes [1][2][3].", [1, 2, 3], 0),
        ("Yes [2 - 3, 7].", "Yes [2][3][7].", [2, 3, 7], 0),
        ("Yes [m1-m2] and [3 to 4].", "Yes [1][2] and [3][4].", [1, 2, 3, 4], 0),
        ("Yes [11-14].", "Yes [11][12].", [11, 12], 2),
        ("Yes [98-99].", "Yes.", [], 2),
        ("Yes \u30103\u3011.", "Yes [3].", [3], 0),
        ("Yes\u30101\u3011\u30102\u3011.", "Yes[1][2].", [1, 2], 0),
        ("Yes \u30103\u2020source\u3011 and \uff3b4\u30015\uff3d.", "Yes [3] and [4][5].", [3, 4, 5], 0),
        ("Yes \u301099\u3011.", "Yes.", [], 1),
        ("It \u3010sic\u3011 was [2-3 times] so.", "It \u3010sic\u3011 was [2-3 times] so.", [], 0),
        ("From [2019-2023], or [2021, 2022].", "From [2019-2023], or [2021, 2022].", [], 0),
        ("On [2023-05-08] or [05-08].", "On [2023-05-08] or [05-08].", [], 0),
        ("They won [3-2] on pages [100-250].", "They won [3-2] on pages [100-250].", [], 0),
        ("First (1), then (2).", "First (1), then (2).", [], 0),
        ('He gave {"scores": [1, 2], "days": [3]} [4].', 'He gave {"scores": [1, 2], "days": [3]} [4].', [4], 0),
        ("Here:\n```json\n[1, 99]\n```\nSo [4].", "Here:\n```json\n[1, 99]\n```\nSo [4].", [4], 0),
        ("```\nYes [3].\n```", "```\nYes [3].\n```", [3], 0),
        ("[1, 2, 99]", "[1, 2, 99]", [], 0),
        ("[[1, 2], [3, 99]]", "[[1, 2], [3, 99]]", [], 0),
        ("[1] tells it {sic} [2].", "[1] tells it {sic} [2].", [1, 2], 0),
    ],
)
def test_marks_of_found_memories_stay_and_others_go(written: str, shown: str, labels: list[int], dropped: int) -> None:
    cited = read(written)
    assert (cited.text, list(cited.cited), cited.dropped) == (shown, labels, dropped)


@given(st.lists(st.integers(0, 50), max_size=8))
def test_it_does_not_matter_how_the_text_is_cut(cuts: list[int]) -> None:
    text = "She [3, 99] moved [77]  to [2023] Lisbon [1-2]\u30104\u3011."
    places = sorted({0, *cuts, len(text)})
    cited = read(*(text[start:end] for start, end in pairwise(places)))
    assert (cited.text, list(cited.cited), cited.dropped) == (
        "She [3] moved  to [2023] Lisbon [1][2][4].",
        [3, 1, 2, 4],
        2,
    )


def test_the_streamed_text_equals_the_answer_and_cites_each_memory_once() -> None:
    cited = CitedText(GATHERED)
    events = [*cited.feed("She [3"), *cited.feed("] moved [99"), *cited.feed("] twice [3]. "), *cited.end()]
    assert "".join(event.text for event in events if isinstance(event, Delta)).strip() == cited.text
    assert [event.memory.label for event in events if isinstance(event, Cited)] == [3]
