"""CPU time of reading: a long text full of times costs no more per character than a short one."""

from collections.abc import Callable
from datetime import UTC, datetime
from time import thread_time

import pytest

from tests.clock import holds_to_a_time
from timewords import find_dates, find_window

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
QUESTION, MOST_SECONDS = 2_000, 0.6  # many times the usual time
PIECE, DOCUMENT, MOST_GROWTH = 1_000, 10_000, 2.0


def fill(phrase: str, length: int) -> str:
    return (phrase * (length // len(phrase) + 1))[:length]


def spent(read: Callable[[], object]) -> float:
    """The best of three runs, because garbage collection may fall into one of them."""
    took = []
    for _ in range(3):
        start = thread_time()
        read()
        took.append(thread_time() - start)
    return min(took)


@holds_to_a_time
@pytest.mark.parametrize(
    "phrase",
    [
        "two weeks and three days and ",
        "5 days 4 weeks ",
        "a year, 2 months, 3 weeks, 4 days, 5 hours ",
        "the first monday of the last week of ",
        "am 3. Mai bis zum 5. Juni und ",
        "上周三到下周五去年3月3日",
    ],
)
def test_a_long_question_of_nothing_but_times_is_read_at_once(phrase: str) -> None:
    find_window(phrase, asked_at=NOW)  # builds the language's patterns once
    question = fill(phrase, QUESTION)
    assert spent(lambda: find_window(question, asked_at=NOW)) < MOST_SECONDS


@holds_to_a_time
@pytest.mark.parametrize("phrase", ["between 2019 and 2020 and ", "hier ", f"ich habe am Freitag {'ge' * DOCUMENT}"])
def test_a_character_of_a_long_text_costs_no_more_than_one_of_a_short_text(phrase: str) -> None:
    piece, document = fill(phrase, PIECE), fill(phrase, DOCUMENT)
    find_dates(piece, said_at=NOW)
    of_piece = spent(lambda: find_dates(piece, said_at=NOW))
    of_document = spent(lambda: find_dates(document, said_at=NOW))
    assert of_document < of_piece * MOST_GROWTH * DOCUMENT / PIECE


def test_a_question_with_very_many_times_keeps_its_first_ones() -> None:
    window = find_window(f"What did we do in March 2020? {'3 May 2024 ' * 150}", asked_at=NOW)
    assert window is not None
    assert window.text == "March 2020"
