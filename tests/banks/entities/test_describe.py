from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from banks.entities.descriptions import MOST_ROUNDS, describe_entities
from banks.enums import EntityKind
from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit
from banks.types import FoundEntity, FoundRelationship
from providers.embedding.protocol import EmbeddingBatch
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


def test_an_entity_is_described_by_its_relationships_and_facts(bank: Bank) -> None:
    tell(bank, "works_at", "Acme", said=2022)
    tell(bank, "works_at", "Globex", said=2024)
    for value in ("tea", "cats"):
        tell(bank, "likes", value)
    describe_entities(bank, [ana(bank).id], WordedEmbedder())
    described = ana(bank)
    assert described.attributes["works_at"] == "Globex"
    assert sorted(described.attributes["likes"]) == ["cats", "tea"]
    assert "Ana works_at Globex." in described.summary
    assert "told a long story" in described.summary
    assert "Ana works_at Acme." not in described.summary
    assert described.embedding @ embed(f"Ana: {described.summary}") == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("tells_more", [False, True])
def test_current_facts_come_first_and_future_ones_have_their_date(bank: Bank, *, tells_more: bool) -> None:
    begins = datetime(timezone.now().year + 2, 6, 1, tzinfo=UTC)
    for town, since in (("Oslo", None), ("Rome", begins)):
        words = f"Ana lives in {town}."
        found = FoundRelationship("Ana", "lives_in", town, words, object_is_value=True, valid_from=since)
        text = f"Ana lives in {town}, and of all that she told of it at length that evening little is left."
        fact = make_fact(
            text if tells_more else found.text,
            entities=(ANA,),
            relationships=(found,),
            relationship_vectors=(embed(found.text),),
            valid_from=since,
        )
        store(bank, fact)
    describe_entities(bank, [ana(bank).id], WordedEmbedder())
    described = ana(bank)
    day = f"(from 1 June {begins.year})."
    assert described.attributes == {"lives_in": "Oslo"}
    assert described.summary.startswith(f"Ana lives in Oslo. Ana lives in Rome {day}")
    assert described.summary.endswith(f"{'little is left' if tells_more else 'Rome'} {day}")
    assert described.summary.count("Rome") == described.summary.count(day)


def test_an_entity_that_is_gone_or_another_tenants_is_left_out(bank: Bank) -> None:
    tell(bank, "likes", "tea")
    other = make_bank(make_tenant("zeta"))
    describe_entities(other, [ana(bank).id, uuid7()], WordedEmbedder())
    assert ana(bank).summary == ""


class Interrupted(WordedEmbedder):
    """Runs a callback at each call, to change the bank meanwhile."""

    def __init__(self, happen: Callable[[int], None]) -> None:
        self.times = 0
        self.happen = happen

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        self.times += 1
        self.happen(self.times)
        return super().embed_documents(texts)


def test_a_fact_that_is_deleted_while_the_embedder_works_is_in_no_summary(bank: Bank) -> None:
    tell(bank, "likes", "tea")
    tell(bank, "occupation", "doctor")

    def delete(times: int) -> None:
        if times == 1:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                told = MemoryUnit.objects.of_bank(bank).filter(text__contains="tea")
                delete_units(bank, list(told.values_list("id", flat=True)))

    embedder = Interrupted(delete)
    describe_entities(bank, [ana(bank).id], embedder)
    described = ana(bank)
    assert embedder.times == 2
    assert "tea" not in described.summary
    assert described.attributes == {"occupation": "doctor"}
    assert described.embedding @ embed(f"Ana: {described.summary}") == pytest.approx(1.0, abs=1e-4)


def test_an_entity_that_goes_while_the_embedder_works_is_not_asked_for_again(bank: Bank) -> None:
    tell(bank, "likes", "tea")

    def delete(_: int) -> None:
        with tenant_transaction(bank.tenant_id):
            lock_memory(bank)
            delete_units(bank, list(MemoryUnit.objects.of_bank(bank).values_list("id", flat=True)))

    embedder = Interrupted(delete)
    describe_entities(bank, [ana(bank).id], embedder)
    assert embedder.times == 1


def test_an_entity_that_changes_in_every_round_is_left_for_the_next_retain(bank: Bank) -> None:
    tell(bank, "likes", "tea")
    embedder = Interrupted(lambda times: tell(bank, "likes", f"drink number {times}"))
    describe_entities(bank, [ana(bank).id], embedder)
    assert (embedder.times, ana(bank).summary) == (MOST_ROUNDS, "")
