import pytest

from banks.text_index.lexemes import LONGEST, extract_lexemes


@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        ("She was running in the parks", ["run", "park"]),
        ("Anna's, Anna’s and the boys' dogs", ["anna", "anna", "boy", "dog"]),  # noqa: RUF001 - people type both
        ("I'll say they've come, don't they?", ["say", "come"]),
        ("O'Brien", ["obrien"]),
        ("an e-mail", ["e", "mail", "email"]),
        ("3.5 of 1,000,000 at 10:30, 1,2", ["3.5", "1000000", "10:30", "1", "2"]),
        ("on 2023-05-08, the 8th", ["2023", "05", "08", "20230508", "8"]),
        ("born in May", ["born", "may"]),
        ("C++, C# or C", ["c++", "c#", "c"]),
        ("snake_case", ["snake", "case"]),
        ("Müller, straße, Łódź, ＷＩＤＥ", ["muller", "strass", "lodz", "wide"]),  # noqa: RUF001 - folded
        ("東京へ 木", ["東京", "京へ", "木"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("iPhone手机", ["iphon", "手机"]),
        ("🎉👍🏽 ... !", ["🎉", "👍"]),
        ("→ ... !", []),
        ("the of and", []),
        ("", []),
        ("a\x00cat\ud800dog", ["cat", "dog"]),
    ],
)
def test_a_text_has_these_lexemes(text: str, lexemes: list[str]) -> None:
    assert extract_lexemes(text) == lexemes


@pytest.mark.parametrize(
    ("text", "lexemes"),
    [
        ("Mr. Woods", ["mr", "wood", "=woods"]),
        ("the woods", ["wood"]),
        ("Will: I went with Will. Will you?", ["=will", "went", "=will"]),
        ("The Met and The Who", ["met", "=who"]),
        ("in the US and the U.S. with us", ["=us", "=us"]),
        ("J.R.R. Tolkien, e.g. this", ["jrr", "tolkien"]),
    ],
)
def test_a_name_is_neither_lost_nor_only_a_stem(text: str, lexemes: list[str]) -> None:
    assert extract_lexemes(text) == lexemes


def test_lexemes_fit_into_their_column() -> None:
    text = "x" * 100 + " " + "Walking" * 30 + " " + "a-b-" * 100 + " " + "9.9" * 50
    assert max(map(len, extract_lexemes(text))) == LONGEST


@pytest.mark.timeout(30)
@pytest.mark.parametrize("piece", ["a-", "ab", "hello Running world! ", "漢", "a.b.", "'", "1,", "é", '" ', "\n"])
def test_two_million_characters_are_fine(piece: str) -> None:
    extract_lexemes(piece * (2_000_000 // len(piece)))
