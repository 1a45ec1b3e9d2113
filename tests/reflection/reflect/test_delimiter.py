from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reflection.reflect.delimiter import DELIMITER, Splitter


def split(pieces: list[str]) -> tuple[str, str | None]:
    splitter = Splitter()
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
    splitter = Splitter()
    assert splitter.feed("Yes.\n=====NOT") == "Yes.\n"
    assert splitter.end() == "=====NOT"


def test_decoration_around_the_line_and_notes_on_it_are_understood() -> None:
    assert split([f"Yes.\n**{DELIMITER}** {{}}"]) == ("Yes.\n", "** {}")
