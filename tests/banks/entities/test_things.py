from dataclasses import replace

import pytest

from banks.entities.names.compare import STATED_OTHERWISE
from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.scoring import resolve, score
from banks.enums import EntityKind
from tests.banks.entities.sample import make_candidate, make_mention

ORGANIZATION, PLACE, PRODUCT = EntityKind.ORGANIZATION, EntityKind.LOCATION, EntityKind.PRODUCT
CONCEPT, OTHER, PERSON = EntityKind.CONCEPT, EntityKind.OTHER, EntityKind.PERSON

_SAME = [
    ("UN", "United Nations", ORGANIZATION),
    ("BBC", "British Broadcasting Corporation", ORGANIZATION),
    ("Acme Inc.", "Acme", ORGANIZATION),
    ("Acme Inc.", "Acme Corp", ORGANIZATION),
    ("NYC", "New York City", PLACE),
    ("the Grand Canyon", "Grand Canyon", PLACE),
    ("Mt. Everest", "Mount Everest", PLACE),
    ("Barcelone", "Barcelona", PLACE),
    ("Paris", "Paris, France", PLACE),
    ("Walmart", "Wal-Mart", ORGANIZATION),
    ("LOTR", "Lord of the Rings", PRODUCT),
    ("guitars", "guitar", CONCEPT),
    ("World War 2", "World War II", OTHER),
    ("Bob Chen", "Robert Chen", OTHER),
]
_TWO = [
    ("iPhone 12", "iPhone 13", PRODUCT, "numbers disagree"),
    ("iPhone", "iPhone 13", PRODUCT, "numbers disagree"),
    ("GTA IV", "GTA V", PRODUCT, "numbers disagree"),
    ("Acme Inc", "Acme GmbH", ORGANIZATION, "legal forms disagree"),
    ("Paris, Texas", "Paris, France", PLACE, "different places"),
    ("Austria", "Australia", PLACE, None),
    ("North Korea", "South Korea", PLACE, None),
    ("Iran", "Iraq", PLACE, None),
    ("Universal Studios", "Universal Pictures", ORGANIZATION, None),
    ("C", "C++", PRODUCT, None),
    ("adoption", "adaption", CONCEPT, None),
]


@pytest.mark.parametrize(("name", "known_as", "kind"), _SAME)
def test_one_thing_under_two_names(name: str, known_as: str, kind: EntityKind) -> None:
    assert resolve(make_mention(name, kind, days_later=200), [make_candidate(known_as, kind)]).verdict == "same"


@pytest.mark.parametrize(("name", "known_as", "kind", "veto"), _TWO)
def test_two_things_with_like_names(name: str, known_as: str, kind: EntityKind, veto: str | None) -> None:
    mention, candidate = make_mention(name, kind, days_later=200), make_candidate(known_as, kind)
    assert resolve(mention, [candidate]).verdict != "same"
    assert (veto or "") in (score(mention, candidate).veto or "")


@pytest.mark.parametrize(
    ("kind", "known_kind"), [(CONCEPT, ORGANIZATION), (PERSON, PLACE), (PLACE, PERSON), (CONCEPT, PLACE)]
)
def test_one_word_of_two_kinds_is_two_things(kind: EntityKind, known_kind: EntityKind) -> None:
    mention, candidate = make_mention("Apple", kind), make_candidate("Apple", known_kind)
    assert resolve(mention, [candidate]).verdict == "new"
    assert score(mention, candidate).veto == "kinds disagree"


@pytest.mark.parametrize("known_kind", list(EntityKind))
def test_an_unknown_kind_agrees_with_every_kind(known_kind: EntityKind) -> None:
    assert resolve(make_mention("Phoenix", OTHER), [make_candidate("Phoenix", known_kind)]).verdict == "same"


@pytest.mark.parametrize(
    ("kind", "known_kind"), [(OTHER, ORGANIZATION), (ORGANIZATION, OTHER), (OTHER, PERSON), (PRODUCT, OTHER)]
)
def test_one_word_that_was_stated_to_be_something_else_is_two_things(kind: EntityKind, known_kind: EntityKind) -> None:
    mention = replace(make_mention("Apple", kind), kind_is_stated=True)
    candidate = replace(make_candidate("Apple", known_kind), aliases=("Apple",), kind_is_stated=True)
    assert resolve(mention, [candidate]).verdict != "same"
    assert score(mention, candidate).rule == STATED_OTHERWISE
    assert score(replace(mention, name="apple"), candidate).veto == "kinds disagree"


@pytest.mark.parametrize("known_kind", [OTHER, CONCEPT])
def test_the_stated_kind_other_agrees_with_itself_and_with_concepts(known_kind: EntityKind) -> None:
    mention = replace(make_mention("Christmas", OTHER), kind_is_stated=True)
    candidate = replace(make_candidate("Christmas", known_kind), kind_is_stated=True)
    assert resolve(mention, [candidate]).verdict == "same"


def test_a_guess_is_no_statement() -> None:
    mention = replace(make_mention("Apple", ORGANIZATION), kind_is_guess=True)
    assert resolve(mention, [replace(make_candidate("Apple", OTHER), kind_is_stated=True)]).verdict == "same"


@pytest.mark.parametrize("kinds", [(OTHER, ORGANIZATION), (ORGANIZATION, OTHER)])
def test_two_stated_kinds_of_one_call_are_two_things(kinds: tuple[EntityKind, EntityKind]) -> None:
    mentions = [replace(make_mention("Apple", kind), kind_is_stated=True) for kind in kinds]
    assert [decision.verdict for decision in resolve_all(mentions, [])] == ["new", "new"]


def test_a_common_noun_of_unknown_kind_is_no_firm() -> None:
    mention = make_mention("apple", OTHER, days_later=200)
    assert resolve(mention, [make_candidate("Apple", ORGANIZATION)]).verdict == "ask"


def test_an_unknown_kind_that_fits_two_kinds_is_a_question() -> None:
    both = [make_candidate("Jordan", PERSON), make_candidate("Jordan", PLACE)]
    assert resolve(make_mention("Jordan", OTHER), both).verdict == "ask"


def test_a_firm_and_its_product_of_one_name_can_be_asked_about_in_company() -> None:
    known = make_candidate("YouTube", ORGANIZATION, companions=("Gina",))
    assert resolve(make_mention("YouTube", PRODUCT, companions=("Gina",)), [known]).verdict == "ask"


def test_a_thing_that_is_named_twice_in_one_fact_stays_one() -> None:
    mention = make_mention("UN", ORGANIZATION, companions=("United Nations",))
    assert resolve(mention, [make_candidate("United Nations", ORGANIZATION)]).verdict == "same"
