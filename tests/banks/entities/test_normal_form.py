import pytest
from hypothesis import given
from hypothesis import strategies as st

from banks.entities.names.normalise import identity_key, index_keys, normalise_name, trigrams


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("  José   GARCÍA ", "jose garcia"),
        ("🎉 Alice 🎉", "alice"),
        ("Ed Sheeran’s", "ed sheeran"),  # noqa: RUF001 - the apostrophe that phones type
        ("James'", "james"),
        ("O'Brien", "obrien"),
        ("Dr. Jane Smith", "jane smith"),
        ("Prof. Dr. Hans Müller", "hans muller"),
        ("Dr Pepper", "dr pepper"),
        ("Acme, Inc.", "acme"),
        ("Müller GmbH & Co. KG", "muller"),
        ("The Beatles", "beatles"),
        ("a Beatles song", "beatles song"),
        ("A. Nash", "a nash"),
        ("J. K. Rowling", "jk rowling"),
        ("U.N.", "un"),
        ("ＡＢＣ", "abc"),  # noqa: RUF001 - full-width letters
        ("GPT-3.5", "gpt 3.5"),
        ("C++", "c++"),
        ("Мария", "мария"),
        ("が", "が"),
        ("🎉", "🎉"),
        ("Inc", "inc"),
    ],
)
def test_a_name_has_one_normal_form(written: str, normal: str) -> None:
    assert normalise_name(written) == normal


@pytest.mark.parametrize(
    ("one", "other"),
    [("C", "C++"), ("Acme Inc", "Acme GmbH"), ("John Smith Jr.", "John Smith Sr."), ("Mr Smith", "Mrs Smith")],
)
def test_distinguishing_marks_stay_in_the_normal_form(one: str, other: str) -> None:
    assert identity_key(one) != identity_key(other)


def test_the_legal_form_is_information_beside_the_name() -> None:
    assert normalise_name("Acme Incorporated") == normalise_name("ACME Inc.") == "acme"
    assert identity_key("Acme Incorporated") == identity_key("ACME Inc.") == "acme|inc"


def test_trigrams_weigh_the_beginning_of_a_word() -> None:
    assert trigrams("Bob") == {"  b", " bo", "bob", "ob "}


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bob", "Robert Chen"), ("NYC", "New York City"), ("BBC", "British Broadcasting Corporation"), ("Мария", "Maria")],
)
def test_names_that_share_few_letters_share_a_key(one: str, other: str) -> None:
    special = {key for key in index_keys(one) & index_keys(other) if key.startswith("=")}
    assert special or len(trigrams(one) & trigrams(other)) >= 3


def test_every_trigram_is_short_enough_for_a_column_of_three() -> None:
    assert {len(key) for key in index_keys("Alice Chen") if not key.startswith("=")} == {3}


@given(st.text(max_size=60))
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    once = normalise_name(text)
    assert normalise_name(once.upper() if once.upper().lower() == once else once) in {once, normalise_name(once)}


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_has_keys(text: str) -> None:
    assert isinstance(identity_key(text), str)
    assert all(index_keys(text))
