"""Citation marks that occur in memories and in opinions."""

import pytest

from reflection.reflect.citations import drop_marks, replace_marks
from reflection.reflect.notes import WrittenOpinion
from reflection.reflect.reflect import build_candidate, find_evidence
from tests.reflection.reflect.remembered import gather, make_item


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("See [12].", "See (12)."),
        ("See [1-3] and \u30104\u3011.", "See (1-3) and (4)."),
        ("See [sic] and \u3010note\u3011.", "See [sic] and \u3010note\u3011."),
    ],
)
def test_a_number_inside_a_memory_is_no_mark(told: str, shown: str) -> None:
    assert replace_marks(told) == shown


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
    found = [gathered.find_shown(label) for label in "12354"]
    named = [memory for one in written.evidence for memory in find_evidence(one, gathered)]
    assert build_candidate(written, named).evidence_ids == tuple(memory.id for memory in found if memory)
    assert named.count(None) == 2
