import pytest

from banks.retain.llm.section import Section, find_halves, find_middle
from tests.banks.retain.llm.factory import make_section


def halve(section: Section) -> tuple[Section, Section]:
    halves = find_halves(section)
    assert halves is not None
    return halves


def texts(section: Section) -> list[str]:
    return [piece.turn.text for piece in section.pieces]


def test_turns_are_divided_by_their_length() -> None:
    first, second = halve(make_section("a" * 300, "b", "c", "d"))
    assert (texts(first), texts(second)) == (["a" * 300], ["b", "c", "d"])


def test_both_halves_have_a_turn() -> None:
    for section in (make_section("a", "b" * 500), make_section("a" * 500, "b"), make_section("", "")):
        assert all(half.pieces for half in halve(section))


def test_a_turn_is_divided_between_sentences() -> None:
    text = "First of all we met. " * 6 + "Then we parted, and nobody said a word about Mr. Brown. " * 3
    head, tail = (texts(half)[0] for half in halve(make_section(text)))
    assert head + tail == text
    assert head.endswith(". ")
    assert tail.startswith(("First", "Then"))


def test_a_turn_without_a_sentence_is_divided_between_words_or_anywhere() -> None:
    assert find_middle("word " * 80) % 5 == 0
    assert find_middle("x" * 400) == 200


def test_quotes_of_divided_turns_count_in_the_whole_turn() -> None:
    text = "".join(f"Sentence number {number} is here. " for number in range(20))
    section = make_section("Hello", text)
    _, long = halve(section)
    quarters = [quarter for half in halve(long) for quarter in halve(half)]
    quotes = [quarter.pieces[0].quote for quarter in quarters]
    assert [quote.turn for quote in quotes] == [1, 1, 1, 1]
    assert [text[quote.start : quote.end] for quote in quotes] == [texts(quarter)[0] for quarter in quarters]
    assert (quotes[0].start, quotes[-1].end) == (0, len(text))


@pytest.mark.parametrize("text", ["", "Too short to divide."])
def test_a_short_turn_is_not_divided(text: str) -> None:
    assert find_halves(make_section(text)) is None
