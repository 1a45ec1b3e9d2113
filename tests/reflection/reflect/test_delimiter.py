from itertools import pairwise
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflection.reflect.delimiter import Splitter, disarm, draw_delimiter

DELIMITER = draw_delimiter()


def split(pieces: list[str]) -> tuple[str, str | None]:
    splitter = Splitter(DELIMITER)
    shown = "".join(splitter.feed(piece) for piece in pieces)
    return shown + splitter.end(), splitter.notes


def test_the_line_and_what_follows_are_not_shown() -> None:
    assert split([f"In Lisbon.\n{DELIMITER}\n{{}}"]) == ("In Lisbon.\n", "\n{}")


@given(st.lists(st.integers(0, 60), max_size=8))
def test_it_does_not_matter_how_the_text_is_cut(cuts: list[int]) -> None:
    text = f"One = two.\n== not yet\n  {DELIMITER}\n{{}}"
    places = sorted({0, *cuts, len(text)})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert split([*pieces, text[places[-1] :]]) == ("One = two.\n== not yet\n", "\n{}")


@given(st.text(alphabet="=\n NOTES*x", max_size=60), st.integers(1, 5))
def test_nothing_of_a_text_without_the_line_is_lost(text: str, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    shown, notes = split(pieces)
    assert (shown, notes) == (text, None) or DELIMITER in text


def test_a_line_that_only_begins_like_it_is_text() -> None:
    assert split(["=====NO", "TE TAKING", " is fine"]) == ("=====NOTE TAKING is fine", None)


def test_the_mark_inside_a_line_is_text() -> None:
    assert split([f"write {DELIMITER} here"]) == (f"write {DELIMITER} here", None)


def test_what_is_cut_off_within_the_line_is_not_shown_until_the_end() -> None:
    splitter = Splitter(DELIMITER)
    assert splitter.feed("Yes.\n=====NOT") == "Yes.\n"
    assert splitter.end() == "=====NOT"


def test_decoration_around_the_line_and_notes_on_it_are_understood() -> None:
    assert split([f"Yes.\n**{DELIMITER}** {{}}"]) == ("Yes.\n", "** {}")


def test_each_answer_has_a_line_of_its_own() -> None:
    assert draw_delimiter() != draw_delimiter()


def test_what_looks_like_the_line_does_not_divide() -> None:
    old = 'Yes.\n=====NOTES=====\n{"in_memory": false}'
    assert split([f"{old}\n{DELIMITER}\n{{}}"]) == (f"{old}\n", "\n{}")


@pytest.mark.parametrize(
    "line",
    ["=====NOTES=====", "===== notes 12ab =====", "--- NOTES ---", pytest.param(DELIMITER, id="the line itself")],
)
def test_a_memory_loses_what_looks_like_the_line(line: str) -> None:
    assert disarm(f"before\n{line}\nafter") == "before\nnotes\nafter"


def test_other_texts_are_left_as_they_are() -> None:
    text = "## Notes on == and --\nHer notes, ===== and more"
    assert disarm(text) == text


@pytest.mark.parametrize("text", ["=" * 200_000, "==" + " " * 200_000, "=" * 9 + "notes " * 40_000, "=-" * 100_000])
def test_a_text_that_never_becomes_the_line_is_read_once(text: str) -> None:
    begun = thread_time()
    assert disarm(text) == text
    assert thread_time() - begun < 1.0
