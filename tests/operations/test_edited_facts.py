"""After an edit of a fact's text, everything derived from the former text is replaced."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.enums import EntityKind, Network
from banks.lifecycle.editing import UnitEdit
from banks.models import (
    Bank,
    CoOccurrence,
    Entity,
    EntityName,
    MemoryUnit,
    Mention,
    Relationship,
    RelationshipSource,
    UnitSource,
)
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account import own_llm
from memoryplatform.operations.banks.profile import BankChange, create_bank
from memoryplatform.operations.memories.single import edit_memory
from memoryplatform.operations.models import Operation
from memoryplatform.operations.recall import recall
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from reflection.models import MentalModel, ObservedEntity
from retrieval.types import Budget, Include, RecallQuery
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests import stored_facts
from tests.belief_factories import make_mental_model, make_mental_model_revision, make_mental_model_source
from tests.memory_factories import make_row, make_unit
from tests.operations.transferred import load
from tests.stored_facts import relation

AT = datetime(2026, 1, 2, tzinfo=UTC)
LISBON = "Alice moved to Lisbon in May 2024. She works at Google."
PORTO = "Alice moved to Madrid in May 2024."
WORK = "Alice works at Acme."


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    access = BankAccess(tenant.id)
    create_bank(access, "team", BankChange())
    return access


def store_fact(access: BankAccess, *texts: str) -> None:
    retain(access, "team", [RetainItem(AT, text=text) for text in texts], wait=True)


def tell_fact(access: BankAccess, text: str, *names: str, **fields: Any) -> None:
    entities = tuple(FoundEntity(name, EntityKind.PERSON) for name in names)
    fact = ExtractedFact(text, Network.WORLD, AT, entities=entities, **fields)
    retain(access, "team", [RetainItem(AT, facts=(fact,))], wait=True)


def find_fact(access: BankAccess, text: str) -> MemoryUnit:
    bank = load(access, "team")
    with tenant_transaction(access.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(text=text, network="world")


def edit(access: BankAccess, former: str, text: str | None = None, **fields: Any) -> UUID:
    fact = find_fact(access, former)
    edit_memory(access, "team", fact.id, UnitEdit(text=text, **fields), expected=None)
    return fact.id


def work_off(access: BankAccess) -> None:
    """Perform all waiting operations, and refresh observations without their delay."""
    for kind in ("consolidate", "refresh_observations"):
        with tenant_transaction(access.tenant_id):
            ObservedEntity.objects.for_tenant(access.tenant_id).stale().update(due_at=timezone.now())
            rows = Operation.objects.for_tenant(access.tenant_id).filter(kind=kind, status="pending")
            ids = list(rows.order_by("id").values_list("id", flat=True))
        for operation_id in ids:
            perform(access.tenant_id, operation_id)


def list_told(access: BankAccess) -> dict[str, int]:
    """Current relationships with the number of their source units."""
    bank = load(access, "team")
    with tenant_transaction(access.tenant_id):
        rows = Relationship.objects.of_bank(bank).current().select_related("subject", "object")
        sources = RelationshipSource.objects.for_tenant(access.tenant_id)
        told = {}
        for row in rows:
            assert sources.filter(relationship=row).count() == row.proof_count
            thing = row.object.name if row.object else row.value
            told[f"{row.subject.name} {row.relation} {thing}"] = row.proof_count
        return told


def count_mentions(access: BankAccess) -> dict[str, int]:
    """The stored number of mentions of each entity. Only facts count."""
    bank = load(access, "team")
    with tenant_transaction(access.tenant_id):
        facts = Mention.objects.for_tenant(access.tenant_id).exclude(unit__network="observation")
        counts = {one.name: one.mention_count for one in Entity.objects.of_bank(bank)}
        assert counts == {name: facts.filter(entity__name=name).count() for name in counts}
        return counts


def list_texts(bank: Bank) -> str:
    """All derived texts, current or closed, except the archive and the history."""
    with tenant_transaction(bank.tenant_id):
        entities = Entity.objects.of_bank(bank)
        return "\n".join(
            [
                *MemoryUnit.objects.of_bank(bank).values_list("text", flat=True),
                *Relationship.objects.of_bank(bank).values_list("text", flat=True),
                *EntityName.objects.for_tenant(bank.tenant_id).values_list("name", flat=True),
                *(f"{one.name} {one.summary} {one.attributes}" for one in entities),
            ]
        )


def list_observed(bank: Bank) -> set[str]:
    with tenant_transaction(bank.tenant_id):
        observed = MemoryUnit.objects.of_bank(bank).current().filter(network="observation")
        return set(observed.values_list("text", flat=True))


def observe(bank: Bank, text: str, *facts: MemoryUnit) -> None:
    tenant = Tenant(id=bank.tenant_id)
    unit = make_unit(tenant, bank=bank, network="observation", text=text)
    for fact in facts:
        make_row(UnitSource, tenant, unit=unit, role="summarises", other_unit=fact)


def count_companions(access: BankAccess) -> dict[frozenset[str], int]:
    with tenant_transaction(access.tenant_id):
        pairs = CoOccurrence.objects.for_tenant(access.tenant_id).values_list("first__name", "second__name", "count")
        return {frozenset(pair): count for *pair, count in pairs}


def test_everything_derived_follows_the_new_text(access: BankAccess) -> None:
    store_fact(access, LISBON, WORK)
    work_off(access)
    bank = load(access, "team")
    assert list_told(access) == {"Alice lives_in Lisbon": 1, "Alice works_at Acme": 1}
    fact, work = find_fact(access, LISBON), find_fact(access, WORK)
    observe(bank, "Alice lives in Lisbon and works.", fact, work)
    observe(bank, "Alice has a job at Acme.", work)

    edit(access, LISBON, PORTO)

    assert list_told(access) == {"Alice lives_in Madrid": 1, "Alice works_at Acme": 1}
    assert count_mentions(access) == {"Alice": 2, "Madrid": 1, "Acme": 1}
    assert count_companions(access) == {frozenset({"Alice", "Madrid"}): 1, frozenset({"Alice", "Acme"}): 1}
    assert list_observed(bank) == {"Alice has a job at Acme."}
    assert "Lisbon" not in list_texts(bank)
    work_off(access)
    assert "Lisbon" not in list_texts(bank)
    assert list_observed(bank) == {"Alice has a job at Acme."}
    with tenant_transaction(bank.tenant_id):
        alice = Entity.objects.of_bank(bank).get(name="Alice")
        assert alice.attributes == {"lives_in": "Madrid", "works_at": "Acme"}
        moved = Relationship.objects.of_bank(bank).get(relation="lives_in")
        assert moved.valid_from == datetime(2024, 5, 1, tzinfo=UTC)


def test_a_query_for_the_new_text_returns_nothing_of_the_former(access: BankAccess) -> None:
    store_fact(access, LISBON)
    work_off(access)
    edit(access, LISBON, PORTO)
    query = RecallQuery("Who lives in Madrid?", AT, budget=Budget(100, 16, None), include=Include(entities=500))
    result = recall(access, ["team"], query).result
    assert [item.text for item in result.items] == [PORTO]
    assert {one.name for one in result.included.entities} == {"Alice", "Madrid"}


def test_a_relationship_with_other_sources_loses_one_proof(access: BankAccess) -> None:
    knows = relation("Ana", "knows", "Bob")
    for text in ("Ana met Bob.", "Ana and Bob are friends."):
        tell_fact(access, text, "Ana", "Bob", relationships=(knows,))
    assert list_told(access) == {"Ana knows Bob": 2}

    edit(access, "Ana met Bob.", "Ana met Cleo.")

    assert list_told(access) == {"Ana knows Bob": 1}
    assert count_mentions(access) == {"Ana": 2, "Bob": 1, "Cleo": 1}
    assert count_companions(access) == {frozenset({"Ana", "Bob"}): 1, frozenset({"Ana", "Cleo"}): 1}


def test_rows_that_both_texts_state_stay_the_same(access: BankAccess) -> None:
    store_fact(access, "Alice works at Acme.")
    with tenant_transaction(access.tenant_id):
        before = set(Mention.objects.for_tenant(access.tenant_id).values_list("id", "name"))
        held = Relationship.objects.for_tenant(access.tenant_id).get()

    edit(access, "Alice works at Acme.", "Alice works at Acme. She loves it. Alice lives in Madrid.")

    assert list_told(access) == {"Alice works_at Acme": 1, "Alice lives_in Madrid": 1}
    with tenant_transaction(access.tenant_id):
        assert before < set(Mention.objects.for_tenant(access.tenant_id).values_list("id", "name"))
        assert Relationship.objects.for_tenant(access.tenant_id).get(relation="works_at").id == held.id


def test_a_changed_date_is_read_again(access: BankAccess) -> None:
    store_fact(access, PORTO)
    edit(access, PORTO, "Alice moved to Madrid in June 2023.")
    with tenant_transaction(access.tenant_id):
        held = Relationship.objects.for_tenant(access.tenant_id).get()
    assert held.valid_from == datetime(2023, 6, 1, tzinfo=UTC)


def test_a_new_value_ends_that_of_another_memory(access: BankAccess) -> None:
    tell_fact(access, "Ana is in Faro.", "Ana", relationships=(relation("Ana", "lives_in", "Faro"),))
    tell_fact(access, "Ana sings.", "Ana")

    edit(access, "Ana sings.", "Ana lives in Lisbon.")

    assert list_told(access) == {"Ana lives_in Lisbon": 1}


def test_an_entity_that_the_former_text_did_not_name_stays(access: BankAccess) -> None:
    """The caller supplied this entity with the memory; it was not read from the text."""
    tell_fact(access, "The deadline is in May.", "Apollo")
    edit(access, "The deadline is in May.", "The deadline is in June, says Bob.")
    assert count_mentions(access) == {"Apollo": 1, "Bob": 1}


def test_an_unchanged_name_keeps_its_entity(access: BankAccess) -> None:
    tell_fact(access, "Ana sings.", "Ana")
    meant = find_fact(access, "Ana sings.")
    with tenant_transaction(access.tenant_id):
        named = Mention.objects.for_tenant(access.tenant_id).get(unit=meant)
        other = Entity.objects.for_tenant(access.tenant_id).create(
            bank_id=meant.bank_id, name="Ana Chen", identity="ana chen", kind=EntityKind.PERSON
        )
        Mention.objects.for_tenant(access.tenant_id).filter(id=named.id).update(entity=other)

    edit(access, "Ana sings.", "Ana dances with Bob.")

    with tenant_transaction(access.tenant_id):
        mentions = Mention.objects.for_tenant(access.tenant_id).filter(unit=meant)
        assert set(mentions.values_list("name", "entity_id")) > {("Ana", other.id)}


@pytest.mark.parametrize("fields", [{"importance": 0.9}, {"text": LISBON, "context": "a call"}])
def test_an_edit_without_a_new_text_changes_nothing_derived(access: BankAccess, fields: dict[str, Any]) -> None:
    store_fact(access, LISBON)
    work_off(access)
    bank = load(access, "team")
    told = list_told(access), count_mentions(access), list_texts(bank)
    edit(access, LISBON, **fields)
    assert (list_told(access), count_mentions(access), list_texts(bank)) == told


def test_a_mental_model_that_was_written_from_it_is_refreshed(access: BankAccess, tenant: Tenant) -> None:
    store_fact(access, LISBON)
    bank = load(access, "team")
    model = make_mental_model(tenant, bank=bank, content="Alice lives in Lisbon.", revision=1)
    revision = make_mental_model_revision(tenant, mental_model=model, content=model.content)
    make_mental_model_source(tenant, revision=revision, unit=find_fact(access, LISBON))

    edit(access, LISBON, PORTO)

    with tenant_transaction(tenant.id):
        assert MentalModel.objects.of_bank(bank).get().content == ""
        asked = Operation.objects.for_tenant(tenant.id).filter(kind="refresh_mental_model", status="pending")
        assert asked.count() == 1


def test_the_number_of_statements_of_an_edit_is_independent_of_its_entities_facts(access: BankAccess) -> None:
    counts = []
    for number in (1, 20):
        for place in range(number):
            stored_facts.store_fact(load(access, "team"), f"Ana likes the number {place} of {number}.", "Ana", "Bob")
        tell_fact(access, f"Ana sings with Bob for {number}.", "Ana", "Bob")
        own_llm.forget(access.tenant_id)  # else it is read again after some seconds, at one of the two counts
        with CaptureQueriesContext(connection) as statements:
            edit(access, f"Ana sings with Bob for {number}.", f"Ana dances with Cleo for {number}.")
        counts.append(len(statements))
    assert counts[1] <= counts[0]
