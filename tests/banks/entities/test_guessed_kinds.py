"""A known name resolves to its entity, whatever kind the recogniser guesses."""

from dataclasses import replace

import pytest

from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.scoring import resolve
from banks.entities.types import MentionOf
from banks.enums import EntityKind
from banks.models import Bank, Entity
from banks.types import FoundEntity
from tenants.transactions import tenant_transaction
from tests.banks.entities.sample import make_candidate, make_id, make_mention
from tests.banks.entities.test_record import naming, record
from tests.factories import make_bank, make_tenant

CONCEPT, LOCATION, ORGANIZATION = EntityKind.CONCEPT, EntityKind.LOCATION, EntityKind.ORGANIZATION


def make_guess(name: str, kind: EntityKind = EntityKind.PERSON, *, companions: tuple[str, ...] = ()) -> MentionOf:
    return replace(make_mention(name, kind, companions=companions), kind_is_guess=True)


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


@pytest.mark.parametrize(("first", "then"), [(CONCEPT, EntityKind.PERSON), (EntityKind.PERSON, CONCEPT)])
def test_two_guesses_about_one_name_are_one_entity(bank: Bank, first: EntityKind, then: EntityKind) -> None:
    for kind in (first, then):
        record(bank, replace(naming(bank), entities=(FoundEntity("Maria", kind, is_guess=True),)))
    with tenant_transaction(bank.tenant_id):
        assert [(one.name, one.kind) for one in Entity.objects.of_bank(bank)] == [("Maria", first)]


def test_two_guesses_of_one_call_are_one_entity() -> None:
    decisions = resolve_all([make_guess("Maria", CONCEPT), make_guess("Maria")], [])
    assert sorted(decision.verdict for decision in decisions) == ["new", "same"]


def test_in_one_call_the_kind_that_is_known_leads() -> None:
    guess, known = make_guess("Maria", CONCEPT), make_mention("Maria", days_later=1)
    assert [(one.verdict, one.same_as) for one in resolve_all([guess, known], [])] == [("same", 1), ("new", None)]


def test_the_exact_name_under_another_kind_beats_a_nickname_in_the_best_company() -> None:
    lisa, alice = make_candidate("Lisa", ORGANIZATION), make_candidate("Alice", companions=("Google",))
    decision = resolve(make_guess("Lisa", companions=("Google",)), [alice, lisa])
    assert (decision.verdict, decision.entity_id) == ("same", make_id("Lisa", ORGANIZATION))


def test_an_alias_under_another_kind_is_known_too() -> None:
    known = make_candidate("Maria Garcia", aliases=("Mia",))
    assert resolve(make_guess("Mia", ORGANIZATION), [known]).verdict == "same"


def test_of_two_entities_of_one_name_the_guessed_kind_decides() -> None:
    both = [make_candidate("Jordan"), make_candidate("Jordan", LOCATION)]
    assert resolve(make_guess("Jordan", LOCATION), both).entity_id == make_id("Jordan", LOCATION)


def test_a_name_in_small_letters_is_a_common_noun() -> None:
    assert resolve(make_guess("apple", CONCEPT), [make_candidate("Apple", ORGANIZATION)]).verdict == "new"


def test_a_known_kind_still_separates_a_place_from_a_person() -> None:
    assert resolve(make_mention("Jordan", LOCATION), [make_candidate("Jordan")]).verdict == "new"
