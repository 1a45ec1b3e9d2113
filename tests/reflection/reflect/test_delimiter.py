from time import thread_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reflection.reflect.delimiter import AnswerSplitter, disarm, draw_delimiter
from tests.clock import holds_to_a_time

DELIMITER = "=====NOTES f704ff928ba4====="
CODE = "f704ff928ba4"
SENTENCE = "Alice works at Initech [1]."


def split(pieces: list[str]) -> tuple[str, str | None]:
    splitter = AnswerSplitter(DELIMITER)
    shown = "".join(splitter.feed(piece) for piece in pieces)
    return shown + splitter.end(), splitter.notes


def split_letters(text: str) -> tuple[str, str | None]:
    return split(list(text))


def test_the_dividing_line_and_the_following_text_are_not_shown() -> None:
    assert split([f"In Lisbon.\n{DELIMITER}\n{{}}"]) == ("In Lisbon.\n", "=====\n{}")


@pytest.mark.parametrize(
    "line",
    [
        f" {DELIMITER}",
        DELIMITER,
        f"\n> {DELIMITER}",
        f"\n- {DELIMITER}",
        f'\n"{DELIMITER}"',
        f"\n\u201c{DELIMITER}\u201d",
        f"\n_{DELIMITER}_",
        f"\n> - **`{DELIMITER}`**",
        f"\n===== NOTES {CODE} =====",
        f"\n=====NOTES {CODE}",
        f"\n=====NOTES: {CODE}=====",
        f"\n=====NOTES{CODE}=====",
        f"\n| NOTES | {CODE} |",
        f"\n\u2014\u2014\u2014 NOTES {CODE} \u2014\u2014\u2014",
        f"\n{DELIMITER.lower()}",
        f"\n=====Notes {CODE.upper()}=====",
        f"\n=====NOTIZEN {CODE}=====",
        f"\n===== \u7b14\u8bb0 {CODE} =====",
        f"\n{CODE}",
        f" Notes {CODE}",
    ],
)
def test_however_the_line_is_written_neither_it_nor_the_notes_are_shown(line: str) -> None:
    for pieces in ([f"{SENTENCE}{line}\n{{}}"], list(f"{SENTENCE}{line}\n{{}}")):
        shown, notes = split(pieces)
        assert shown.rstrip() == SENTENCE
        assert notes is not None
        assert notes.endswith("\n{}")


@pytest.mark.parametrize("sentence", ["**Initech** ", "Is it **so** ", "It is C_ ", "See [1]", "so (1)", "no "])
def test_text_of_the_answer_stays(sentence: str) -> None:
    assert split_letters(f"{sentence}{DELIMITER}")[0] == sentence.rstrip()


PIECES = ["=", "==", "NOTES", "notes", "no", "f7", "04ff928ba4", CODE, " ", "\n", "**", "word", "[1]", "-", "=" * 90]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join), st.integers(1, 9))
@example(f"See\nNOTES{'=' * 100}{CODE}", 3)
@example(f"See\n{'=' * 100}NOTES {CODE}", 3)
@example(f"See {'=' * 100}notes {CODE}", 3)
@example(f"notesnotes{CODE}", 1)
def test_it_does_not_matter_how_the_text_is_cut(text: str, size: int) -> None:
    whole = split([text])
    assert whole == split_letters(text)
    assert whole == split([text[start : start + size] for start in range(0, len(text), size)])
    assert (whole[1] is None) == (CODE not in text)


@settings(deadline=None)
@given(st.text(alphabet="=\n NOTES*x", max_size=60), st.integers(1, 5))
def test_nothing_of_a_text_without_the_line_is_lost(text: str, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    shown, notes = split(pieces)
    assert (shown, notes) == (text, None)


def test_a_line_that_only_begins_like_it_is_text() -> None:
    assert split(["=====NO", "TE TAKING", " is fine"]) == ("=====NOTE TAKING is fine", None)


def test_a_partial_dividing_line_is_held_back_until_the_end() -> None:
    splitter = AnswerSplitter(DELIMITER)
    assert splitter.feed("Yes.\n=====NOT") == "Yes.\n"
    assert splitter.end() == "=====NOT"


def test_decoration_around_the_line_and_notes_on_it_are_understood() -> None:
    assert split([f"Yes.\n**{DELIMITER}** {{}}"]) == ("Yes.\n", "=====** {}")


def test_each_answer_has_a_line_of_its_own() -> None:
    assert draw_delimiter() != draw_delimiter()


def test_a_similar_line_does_not_divide() -> None:
    old = 'Yes.\n=====NOTES=====\n{"in_memory": false}'
    assert split([f"{old}\n{DELIMITER}\n{{}}"]) == (f"{old}\n", "=====\n{}")


@pytest.mark.parametrize(
    "line",
    ["=====NOTES=====", "===== notes 12ab =====", "--- NOTES ---", pytest.param(DELIMITER, id="the line itself")],
)
def test_a_dividing_line_inside_a_memory_is_removed(line: str) -> None:
    assert disarm(f"before\n{line}\nafter") == "before\nnotes\nafter"


def test_other_texts_are_left_as_they_are() -> None:
    text = "## Notes on == and --\nHer notes, ===== and more"
    assert disarm(text) == text


@holds_to_a_time
@pytest.mark.parametrize("text", ["=" * 200_000, "==" + " " * 200_000, "=" * 9 + "notes " * 40_000, "=-" * 100_000])
def test_a_text_that_never_becomes_the_line_is_read_once(text: str) -> None:
    begun = thread_time()
    assert disarm(text) == text
    assert thread_time() - begun < 1.0


@holds_to_a_time
def test_a_long_row_of_signs_is_passed_on_while_it_comes() -> None:
    splitter = AnswerSplitter(DELIMITER)
    begun = thread_time()
    shown = "".join(splitter.feed("=") for _ in range(5_000))
    assert len(shown) > 4_800
    assert thread_time() - begun < 5.0
