import pytest

from banks.entities.describe import describe_entities
from banks.models import Bank, Entity
from banks.retain.types import FoundEntity, FoundRelationship
from banks.words import EntityKind
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import make_fact, store
from tests.banks.lifecycle.worded_embedder import WordedEmbedder, embed
from tests.factories import make_bank, make_tenant

ANA = FoundEntity("Ana", EntityKind.PERSON)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def tell(bank: Bank, relation: str, value: str, *, said: int = 2024) -> None:
    found = FoundRelationship("Ana", relation, value, f"Ana {relation} {value}.", object_is_value=True)
    text = f"In {said} Ana told a long story about {value}, and {relation} was only a small part of all that she said."
    fact = make_fact(
        text, said=said, entities=(ANA,), relationships=(found,), relationship_vectors=(embed(found.text),)
    )
    store(bank, fact)


def ana(bank: Bank) -> Entity:
    with tenant_transaction(bank.tenant_id):
        return Entity.objects.of_bank(bank).get(name="Ana")


def test_an_entity_is_described_by_what_holds_and_what_was_told_of_it(bank: Bank) -> None:
    tell(bank, "occupation", "nurse", said=2022)
    tell(bank, "occupation", "doctor", said=2024)
    for value in ("tea", "cats"):
        tell(bank, "likes", value)
    describe_entities(bank, [ana(bank).id], WordedEmbedder())
    described = ana(bank)
    assert described.attributes["occupation"] == "doctor"
    assert sorted(described.attributes["likes"]) == ["cats", "tea"]
    assert "Ana occupation doctor." in described.summary
    assert "told a long story" in described.summary
    assert "Ana occupation nurse." not in described.summary
    assert described.embedding @ embed(f"Ana: {described.summary}") == pytest.approx(1.0, abs=1e-4)


def test_an_entity_that_is_gone_or_another_tenants_is_left_out(bank: Bank) -> None:
    tell(bank, "likes", "tea")
    other = make_bank(make_tenant("zeta"))
    describe_entities(other, [ana(bank).id, uuid7()], WordedEmbedder())
    assert ana(bank).summary == ""
