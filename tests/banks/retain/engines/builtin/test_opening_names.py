import pytest

from banks.words import EntityKind
from tests.banks.retain.engines.builtin.found import find_held
from tests.banks.retain.engines.builtin.talk import told

NAMES = [
    "Ashley",
    "Betty",
    "Carol",
    "Caroline",
    "David",
    "Donna",
    "Emily",
    "Grace",
    "Hope",
    "James",
    "Jennifer",
    "Joy",
    "Kimberly",
    "Lars",
    "Linda",
    "Mark",
    "Mary",
    "Michael",
    "Priya",
    "Rose",
    "Sofia",
    "Susan",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("told_of", "relation"), [("lives in Boston", "lives_in"), ("works at Google", "works_at")], ids=["home", "work"]
)
def test_a_first_name_that_opens_the_sentence_is_who_it_is_told_of(name: str, told_of: str, relation: str) -> None:
    (fact,) = told(f"Ann: {name} {told_of}.")
    assert (name, relation) in {(each.subject, each.relation) for each in fact.relationships}
    assert name in {entity.name for entity in fact.entities}


def test_a_name_that_the_recogniser_missed_is_taken_for_a_person() -> None:
    (fact,) = told("Ann: Caroline lives in Boston.")
    (entity,) = (entity for entity in fact.entities if entity.name == "Caroline")
    assert (entity.kind, entity.is_guess) == (EntityKind.PERSON, True)


@pytest.mark.parametrize(
    "text",
    [
        "Everyone lives in Boston.",
        "Nobody works at Google.",
        "Family lives in Boston.",
        "Currently lives in Boston.",
        "Mom works at Google.",
        "He works at Google.",
        "Dinner is at the house and he lives in Boston.",
    ],
)
def test_a_common_word_that_opens_a_sentence_is_nobody(text: str) -> None:
    (fact,) = told(f"Ann: {text}")
    assert find_held(text) == []
    assert [entity.name for entity in fact.entities if entity.kind is EntityKind.PERSON] == ["Ann"]
