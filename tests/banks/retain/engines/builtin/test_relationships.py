import pytest

from tests.banks.retain.engines.builtin.talk import told


def relations(text: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.relation, each.object) for fact in told(f"Ann: {text}") for each in fact.relationships]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("I work at Google in the evenings.", ("Ann", "works_at", "Google")),
        ("I live in Berlin with my cats.", ("Ann", "lives_in", "Berlin")),
        ("I moved to Boston last year.", ("Ann", "lives_in", "Boston")),
        ("I was born in Chicago.", ("Ann", "born_in", "Chicago")),
        ("I'm married to Peter.", ("Ann", "married_to", "Peter")),
        ("I graduated from Stanford University.", ("Ann", "studied_at", "Stanford University")),
        ("My favorite color is blue.", ("Ann", "favourite_color", "blue")),
        ("I have three kids.", ("Ann", "has_children", "three")),
        ("I'm allergic to peanuts.", ("Ann", "allergic_to", "peanuts")),
        ("I own a small sailing boat.", ("Ann", "owns", "small sailing boat")),
        ("My sister Emily called.", ("Ann", "sister", "Emily")),
    ],
)
def test_a_common_pattern_is_found(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in relations(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't live in Berlin.",
        "I would love to live in Berlin.",
        "Do I live in Berlin?",
        "I want to work at Google.",
        "I love it.",
        "I love the color of that wall.",
    ],
)
def test_what_is_denied_wished_asked_or_vague_is_no_relationship(text: str) -> None:
    assert relations(text) == []


def test_a_move_says_since_when() -> None:
    (fact,) = told("Ann: I moved to Boston yesterday.")
    (relationship,) = fact.relationships
    assert relationship.valid_from == fact.occurred_start
    assert relationship.text == "Ann moved to Boston."


def test_a_value_is_tidy_while_its_sentence_keeps_the_article() -> None:
    (fact,) = told("Ann: I joined a new choir.")
    (relationship,) = fact.relationships
    assert (relationship.object, relationship.text) == ("new choir", "Ann joined a new choir.")


def test_what_one_moves_to_is_a_place_whatever_the_recogniser_guessed() -> None:
    (fact,) = told("Ann: I moved to Lisbon last month with my dog Rex, and I started a new job at Aurora Labs.")
    assert [entity.kind for entity in fact.entities if entity.name == "Lisbon"] == ["LOCATION"]
