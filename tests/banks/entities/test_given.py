"""Entities that the caller supplies with a source."""

import pytest

from banks.entities.resolution.given import Given, attach_given, read_given
from banks.enums import EntityKind, Network
from banks.models import Bank
from banks.types import ExtractedFact, FoundEntity
from tests.factories import make_bank, make_tenant
from tests.stored_facts import NOON, relation, store_fact

ROBERT = FoundEntity("Robert Chen", EntityKind.PERSON)
ACME = FoundEntity("Acme", EntityKind.ORGANIZATION)


def fact(text: str, *entities: FoundEntity, relations: tuple[str, str, str] | None = None) -> ExtractedFact:
    told = (relation(*relations),) if relations else ()
    return ExtractedFact(text, Network.WORLD, NOON, entities=entities, relationships=told)


def give(*entities: FoundEntity) -> tuple[Given, ...]:
    return tuple(Given(entity, frozenset({entity.name})) for entity in entities)


def names(facts: tuple[ExtractedFact, ...]) -> list[list[str]]:
    return [[entity.name for entity in one.entities] for one in facts]


def test_a_given_entity_that_no_fact_names_belongs_to_every_fact() -> None:
    tom = FoundEntity("Tom", EntityKind.PERSON)
    facts = attach_given([fact("It rained.", tom), fact("Sales rose.")], give(ACME))
    assert [one.entities for one in facts] == [(tom, ACME), (ACME,)]


def test_a_given_entity_belongs_to_the_facts_that_name_it() -> None:
    facts = attach_given([fact("It rained."), fact("acme's sales rose.")], give(ACME))
    assert names(facts) == [[], ["Acme"]]


def test_a_part_of_a_word_is_no_name() -> None:
    assert names(attach_given([fact("Acmeville is near."), fact("Acme is far.")], give(ACME))) == [[], ["Acme"]]


def test_a_name_that_the_engine_found_gets_the_kind_that_the_caller_stated() -> None:
    guess = FoundEntity("ACME", EntityKind.PERSON, is_guess=True)
    (one,) = attach_given([fact("ACME sells.", guess)], give(ACME))
    (entity,) = one.entities
    assert (entity, entity.is_guess) == (FoundEntity("ACME", EntityKind.ORGANIZATION), False)


def test_a_short_name_means_the_given_one_also_in_relationships() -> None:
    bob = FoundEntity("Bob", EntityKind.ORGANIZATION, is_guess=True)
    facts = attach_given([fact("Bob knows Tom.", bob, relations=("Bob", "knows", "Tom"))], give(ROBERT))
    assert facts[0].entities == (ROBERT,)
    assert (facts[0].relationships[0].subject, facts[0].relationships[0].object) == ("Robert Chen", "Tom")


def test_a_short_name_that_could_mean_two_of_the_given_means_neither() -> None:
    alices = (FoundEntity("Alice Chen", EntityKind.PERSON), FoundEntity("Alice Cooper", EntityKind.PERSON))
    facts = attach_given([fact("Alice sings.", FoundEntity("Alice", EntityKind.PERSON))], give(*alices))
    assert names(facts) == [["Alice", "Alice Chen", "Alice Cooper"]]


@pytest.mark.django_db
def test_an_alias_that_the_bank_knows_names_it_too() -> None:
    bank: Bank = make_bank(make_tenant("acme"))
    store_fact(bank, "Robert Chen leads.", "Robert Chen")
    store_fact(bank, "Bob Chen sings.", "Bob Chen")
    given = read_given(bank, [ROBERT, FoundEntity("\U0001f389")], seen_at=NOON)
    assert [one.names for one in given] == [frozenset({"Robert Chen", "Bob Chen"})]
    assert names(attach_given([fact("It rained."), fact("Bob Chen called.")], given)) == [[], ["Robert Chen"]]


@pytest.mark.django_db
def test_the_aliases_of_another_tenant_are_not_known() -> None:
    foreign: Bank = make_bank(make_tenant("zeta"))
    store_fact(foreign, "Robert Chen leads.", "Robert Chen")
    store_fact(foreign, "Bob Chen sings.", "Bob Chen")
    (given,) = read_given(make_bank(make_tenant("acme")), [ROBERT], seen_at=NOON)
    assert given.names == {"Robert Chen"}
