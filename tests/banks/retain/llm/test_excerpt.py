import pytest

from banks.prompting import excerpt, measure


@pytest.mark.parametrize(
    ("text", "lines", "is_whole"),
    [
        ("Ana has a cat.", ("| Ana has a cat.",), True),
        ("Ana has\na cat.", ("| Ana has", "| a cat."), True),
        ("Ana has a\ncat\nand\ntea", ("| Ana has a cat and tea",), True),
        ("Ana has a cat and a very old dog.", ("| Ana has a cat and a …",), False),
        ("A" * 60, (f"| {'A' * 20} …",), False),
        ("", ("| ",), True),
    ],
)
def test_a_long_text_is_put_on_one_line_and_cut_between_words(
    text: str, lines: tuple[str, ...], *, is_whole: bool
) -> None:
    found = excerpt(text, 25)
    assert (found.lines, found.is_whole) == (lines, is_whole)


@pytest.mark.parametrize("text", ["one " * 900, "\n" * 4_000 + "!", "x\n" * 4_000, "\u6771" * 4_000, "e\u0301" * 4_000])
@pytest.mark.parametrize("most", [100, 333, 1_500])
def test_it_is_never_longer_than_asked_for(text: str, most: int) -> None:
    assert measure(excerpt(text, most).lines) <= most
