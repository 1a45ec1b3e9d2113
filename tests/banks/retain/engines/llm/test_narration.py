import pytest

from banks.retain.engines.llm.narration import build_text
from banks.retain.types import Dimensions


def test_date_and_place_follow_in_brackets_and_the_rest_as_sentences() -> None:
    told = build_text(
        Dimensions(
            what="Emily moved out",
            when="Friday, 7 June 2024",
            where="Lisbon",
            who="Emily is Ana's roommate",
            why="She had found work abroad.",
        )
    )
    assert told == (
        "Emily moved out (Friday, 7 June 2024; Lisbon). Emily is Ana's roommate. She had found work abroad."
    )


def test_what_is_told_is_not_told_again() -> None:
    what = "Emily, Ana's roommate, moved out to Lisbon on Friday, 7 June 2024."
    told = build_text(Dimensions(what, "Friday, 7 June 2024", "Lisbon", "Ana's roommate Emily.", "Emily moved out."))
    assert told == what


def test_each_sentence_of_a_dimension_is_weighed_alone() -> None:
    told = build_text(Dimensions("Emily moved out.", why="Emily moved out. It was too loud."))
    assert told == "Emily moved out. It was too loud."


def test_a_denial_is_no_repetition() -> None:
    assert build_text(Dimensions("Emily was happy.", why="Emily was not happy.")).endswith("Emily was not happy.")


@pytest.mark.parametrize(
    ("dimensions", "told"),
    [
        (Dimensions(), ""),
        (Dimensions(when="Friday, 7 June 2024"), "Friday, 7 June 2024."),
        (Dimensions(why="It was loud"), "It was loud."),
        (Dimensions("Who knew?", when="2019"), "Who knew? (2019)."),
        (Dimensions("Emily zog aus.", "Freitag, 7. Juni 2024"), "Emily zog aus (Freitag, 7. Juni 2024)."),
        (Dimensions("艾米丽搬走了。", why="太吵了。"), "艾米丽搬走了。 太吵了。"),
    ],
)
def test_what_is_missing_leaves_no_trace(dimensions: Dimensions, told: str) -> None:
    assert build_text(dimensions) == told
