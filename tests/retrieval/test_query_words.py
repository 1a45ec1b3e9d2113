import pytest

from retrieval.passages import QueryWords
from retrieval.query.language import find_language


def find_words(query: str) -> QueryWords:
    return QueryWords(query, find_language(query))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Which errors?", "ERROR disk full"),
        ("Which error?", "two ERRORS"),
        ("the arts", "she sells art"),
        ("the art", "the arts"),
        ("a party", "both parties"),
        ("their parties", "the party"),
        ("Who is using it?", "they use it"),
        ("a story of happiness", "happy"),
        ("Who was running?", "a run"),
        ("Which celebration was it?", "they were celebrating"),
        ("Which planes?", "Planespotters"),
        ("Welche Häuser sind das?", "ein Haus"),
        ("Welches Haus ist das?", "zwei Häuser"),
        ("¿Qué canciones son?", "una canción"),
        ("Какие книги она читала?", "одна книга"),
        ("cafe", "the Café"),
        ("the 11th job", "11. Librarian"),
        ("the eleventh job", "11) Librarian"),
        ("on 11 May", "the 11th"),
        ("le 3ème", "3. Rouen"),
    ],
)
def test_a_word_is_found_in_its_other_forms(query: str, text: str) -> None:
    assert len(find_words(query).find(text)) == 1


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("art", "the article, smart"),
        ("cats", "a category"),
        ("the planning", "a planet"),
        ("stores", "a story"),
        ("the 11th job", "111. Sailor"),
        ("the eleventh job", "11.5 hours, at 11:00, 11 euros"),
        ("in 2026", "20261"),
    ],
)
def test_a_word_is_not_found_in_others(query: str, text: str) -> None:
    assert find_words(query).find(text) == []


def test_it_is_found_where_it_begins() -> None:
    (found,) = find_words("Which houses?").find("İ say: a house")
    assert (found.start, found.stem) == (9, "hous")


def test_stop_words_and_remains_of_apostrophes_do_not_count() -> None:
    question = "What did the doctor's friend do in it?"
    assert [found.stem for found in find_words(question).find(question.lower())] == ["doctor", "friend"]
