"""Marks where they are none of the answer's: in memories, and in opinions."""

import pytest

from reflection.reflect.llm.candidates import build_candidate, count_unknown
from reflection.reflect.llm.marks import drop_marks, unmark
from reflection.reflect.llm.notes import WrittenOpinion
from tests.reflection.reflect.remembered import gather, make_item


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("See [12].", "See (12)."),
        ("See [1-3] and \u30104\u3011.", "See (1-3) and (4)."),
        ("See [sic] and \u3010note\u3011.", "See [sic] and \u3010note\u3011."),
    ],
)
def test_what_a_memory_brings_along_does_not_pass_for_a_mark(told: str, shown: str) -> None:
    assert unmark(told) == shown


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("I think Ana is kind [1, 2].", "I think Ana is kind."),
        ("I think Ana is kind [1-3]\u30104\u3011.", "I think Ana is kind."),
        ("I think Ana was kind [2023].", "I think Ana was kind [2023]."),
        ("I think Ana is kind [2-3 times].", "I think Ana is kind [2-3 times]."),
    ],
)
def test_an_opinion_keeps_no_marks(written: str, kept: str) -> None:
    assert drop_marks(written) == kept


def test_the_evidence_of_an_opinion_may_be_named_as_in_a_mark() -> None:
    gathered = gather(*(make_item(number) for number in range(1, 6)))
    written = WrittenOpinion(text="I think so.", confidence=0.7, evidence=[1, "[2-3]", "\u30105\u3011", "4, 9", "no"])
    found = [gathered.find(label) for label in (1, 2, 3, 5, 4)]
    assert build_candidate(written, gathered).evidence_ids == tuple(memory.id for memory in found if memory)
    assert count_unknown([written], gathered) == 2
