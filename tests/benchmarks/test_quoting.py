"""The evidence that counts as returned within a token budget."""

from datetime import UTC, datetime

import pytest

from benchmarks.recall.cases import SpokenTurn
from benchmarks.recall.quoting import Quoted, find_covered
from benchmarks.recall.returned import find_returned

SHORT = "I'm moving to Lisbon next week, and my sister comes along with both of her cats."
LONG = " ".join(
    f"Step {number}: water the bed of plant number {number} and write the day down." for number in range(40)
)


def is_covered(text: str, *returned: str, start: int = 0, end: int | None = None) -> bool:
    turn = SpokenTurn("turn", "session", "user", "Ana", text, datetime(2026, 3, 1, tzinfo=UTC))
    stop = len(text) if end is None else end
    return find_covered([Quoted("turn", start, stop, one) for one in returned], [turn]) == {"turn"}


def test_a_short_turn_has_to_come_back_whole() -> None:
    assert is_covered(SHORT, SHORT)
    assert not is_covered(SHORT, SHORT[: len(SHORT) // 2])


def test_two_results_may_bring_the_two_halves_of_a_short_turn() -> None:
    half = SHORT.index("and my sister")
    assert is_covered(SHORT, SHORT[:half], SHORT[half:])


def test_pronouns_and_dates_that_were_written_out_do_not_count_as_missing() -> None:
    told = "Ana is moving to Lisbon next week (9 to 15 March 2026), and Ana's sister comes along with both of her cats."
    assert is_covered(SHORT, told)


def test_a_contraction_is_one_word() -> None:
    said = "I'm glad. I think I'll sort the shoes by colour."
    assert is_covered(said, "Ana is glad. Ana thinks Ana will sort the shoes by colour.")
    assert not is_covered(said, "Ana is glad.")


def test_a_source_counts_only_as_far_as_the_results_text_contains_it() -> None:
    assert not is_covered(SHORT, "I like red.")
    assert not is_covered(LONG, "I like red.")


def test_a_quoted_question_before_the_answer_is_not_a_part_of_the_answer() -> None:
    asked = "How do I set up my garden? " * 20
    assert not is_covered(LONG, f'User asked me: "{asked}" I answered: {LONG[:60]}')


@pytest.mark.parametrize(("words", "is_enough"), [(40, False), (200, True)])
def test_of_a_long_turn_a_passage_of_a_hundred_tokens_is_enough(words: int, *, is_enough: bool) -> None:
    assert is_covered(LONG, " ".join(LONG.split()[30 : 30 + words])) is is_enough


def test_many_crumbs_of_a_long_turn_are_no_passage() -> None:
    crumbs = " indeed so it was and nobody knew why that had to be the way it was ".join(LONG.split(". "))
    assert not is_covered(LONG, crumbs.replace("water the bed", "do"))


def test_only_the_stored_span_is_looked_for() -> None:
    half = SHORT.index("and my sister")
    assert find_returned(SHORT, half, len(SHORT), SHORT) == [(half, len(SHORT) - 1)]
    assert not is_covered(SHORT, SHORT, start=half)
