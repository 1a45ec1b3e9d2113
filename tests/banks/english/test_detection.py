import pytest

from banks.english.detection import is_english


@pytest.mark.parametrize(
    "text",
    [
        "I live in Zürich now.", "I work at Nestlé.", "He is in Malmö.", "José lives in Rome.", "Zoë is my sister.",
        "I\u2019m from Łódź.", "We had a Škoda.", "I don\u2019t like it.",
    ],
)  # fmt: skip
def test_a_name_with_an_accent_leaves_a_short_sentence_english(text: str) -> None:
    assert is_english(text, otherwise=True)


@pytest.mark.parametrize(
    "text",
    [
        "Ich wohne in München.", "Ich mag Äpfel.", "Was will er in Köln?", "Je travaille chez Nestlé.",
        "Élise aime Paris.", "Me voy a Málaga.", "He ido a Málaga.", "Ho visto José a Roma.", "Hij is in België.",
        "Moro em São Paulo.", "Mieszkam w Łodzi.", "Jag bor i Malmö.",
    ],
)  # fmt: skip
def test_a_short_sentence_of_another_language_is_none(text: str) -> None:
    assert not is_english(text, otherwise=True)


def test_a_short_sentence_in_a_foreign_text_is_of_its_language() -> None:
    assert not is_english("I live in Zürich now.", otherwise=False)


@pytest.mark.parametrize("text", ["I've lived in Denver since March 2021.", "She's worked at Siemens since March."])
def test_a_short_form_counts_as_the_word_that_it_begins_with(text: str) -> None:
    assert is_english(text, otherwise=False)
