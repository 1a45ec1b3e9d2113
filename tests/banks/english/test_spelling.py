import pytest

from banks.english.spelling import spell_one_way
from banks.lifecycle.deciding.wording import weighty_words
from banks.retain.relationships.relations import holds_one_value, name_relation


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("colour", "color"),
        ("favourites", "favorites"),
        ("neighbourhood", "neighborhood"),
        ("organise", "organize"),
        ("realised", "realized"),
        ("analysing", "analyzing"),
        ("theatre", "theater"),
        ("centres", "centers"),
        ("travelled", "traveled"),
        ("cancelling", "canceling"),
        ("dialogue", "dialog"),
        ("licence", "license"),
        ("grey", "gray"),
    ],
)
def test_both_spellings_are_one(british: str, american: str) -> None:
    assert spell_one_way(british) == spell_one_way(american)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("four", "for"),
        ("tours", "tors"),
        ("prise", "prize"),
        ("filled", "filed"),
        ("stalled", "staled"),
        ("timbre", "timber"),
    ],
)
def test_two_words_stay_two(one: str, other: str) -> None:
    assert spell_one_way(one) != spell_one_way(other)


def test_texts_and_relations_are_the_same_in_both_spellings() -> None:
    assert weighty_words("Ana organised the theatre.") == weighty_words("Ana organized the theater.")
    assert name_relation("favorite_colour") == name_relation("favourite_color") == "favourite_color"
    assert holds_one_value("favorite_color")
