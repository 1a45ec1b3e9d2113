"""Stored facts enter the text index under their numbers, whatever else happens in the batch."""

import numpy as np
import pytest

from banks.enums import EntityKind
from banks.lifecycle.decisions import Action, Decision
from banks.models import Bank, Corpus, Relationship
from banks.types import FoundEntity, FoundRelationship
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import make_fact, make_plan, rule, store, units_of
from tests.banks.text_index.reference import check_index, read_index, read_statistics
from tests.factories import make_bank, make_tenant

ACME = "Ana works at Acme."
GLOBEX = "Ana works at Globex."
VECTOR = np.full(384, 0.05, dtype=np.float32)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def test_a_text_that_is_merged_beside_a_new_one_gets_the_later_number(bank: Bank) -> None:
    (known,) = store(bank, make_fact(ACME))
    facts = [make_fact("Ana leads a team at Acme."), make_fact("Tom has a boat.")]
    merged = "Ana works at Acme and leads a team at Acme."
    store(bank, *facts, plan=make_plan(rule(bank, Action.MERGE, known.id, text=merged), Decision()))
    assert {text: unit.number for text, unit in units_of(bank).items()} == {merged: 2, "Tom has a boat.": 1}
    check_index(bank)


def test_a_new_unit_that_is_over_already_is_found_in_the_past_only(bank: Bank) -> None:
    (now,) = store(bank, make_fact(GLOBEX, said=2024))
    fact = make_fact(ACME, said=2022)
    store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, now.id)))
    assert units_of(bank)[ACME].expired_at is not None
    assert [retired for _, _, retired, _ in read_index(bank)["acm"]] == [True]
    check_index(bank)


def tell(bank: Bank, place: str, *, said: int) -> None:
    found = FoundRelationship("Ana", "lives_in", place, f"Ana lives in {place}.")
    entities = (FoundEntity("Ana", EntityKind.PERSON), FoundEntity(place, EntityKind.LOCATION))
    text = f"In {said} Ana said that she lives in {place} with her dog."
    store(
        bank,
        make_fact(text, said=said, entities=entities, relationships=(found,), relationship_vectors=(VECTOR,)),
    )


def test_relationships_are_indexed_once_and_retired_with_their_end(bank: Bank) -> None:
    tell(bank, "Porto", said=2020)
    tell(bank, "Porto", said=2021)
    tell(bank, "Rome", said=2022)
    with tenant_transaction(bank.tenant_id):
        rows = Relationship.objects.for_tenant(bank.tenant_id).order_by("id")
        numbers = dict(rows.values_list("text", "number"))
    porto, rome = numbers["Ana lives in Porto."], numbers["Ana lives in Rome."]
    lives = read_index(bank, Corpus.RELATIONSHIP)["live"]
    assert [(number, retired) for number, _, retired, _ in lives] == [(porto, True), (rome, False)]
    assert read_statistics(bank, Corpus.RELATIONSHIP) == (1, 3)
