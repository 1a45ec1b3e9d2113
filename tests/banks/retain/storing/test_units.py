from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.db import connection, connections

from banks.enums import Network
from banks.facts import PreparedFact
from banks.models import Bank, MemoryUnit, UnitMetadata, UnitSource, UnitTag
from banks.retain.storing import store_units
from banks.types import Dimensions, ExtractedFact, Source
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.text_index.reference import check_index
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_message

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def prepare(text: str, **fields: Any) -> PreparedFact:
    given: dict[str, Any] = {"network": Network.WORLD, "mentioned_at": NOW, "sources": ()} | fields
    extras = {name: given.pop(name) for name in ("tags", "metadata", "sources", "context") if name in given}
    return PreparedFact(ExtractedFact(text=text, **given), np.full(384, 0.05, dtype=np.float32), **extras)


def store(bank: Bank, *facts: PreparedFact) -> list[Any]:
    with tenant_transaction(bank.tenant_id):
        return store_units(bank, facts, now=NOW)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def units_of(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).order_by("id"))


def test_a_fact_is_stored_with_all_that_is_known_of_it(bank: Bank) -> None:
    store(
        bank,
        prepare(
            "I think the red one is better.",
            network=Network.OPINION,
            confidence=0.7,
            importance=0.9,
            dimensions=Dimensions(what="the red one is better", who="I"),
            occurred_start=NOW,
            occurred_end=NOW,
            context="a call",
        ),
    )
    (unit,) = units_of(bank)
    assert (unit.network, unit.confidence, unit.importance, unit.context) == ("opinion", 0.7, 0.9, "a call")
    assert unit.dimensions == {"what": "the red one is better", "who": "I"}
    assert (unit.occurred_start, unit.mentioned_at, unit.recorded_at) == (NOW, NOW, NOW)
    assert np.allclose(unit.embedding, 0.05)


def test_the_same_fact_twice_adds_proof_not_a_row(bank: Bank) -> None:
    first = store(bank, prepare("Alice moved to Lisbon."))
    again = store(bank, prepare("alice  moved to LISBON"), prepare("Alice moved to Porto."))
    assert (first[0].is_new, again[0].is_new, again[1].is_new) == (True, False, True)
    assert first[0].id == again[0].id
    assert [unit.proof_count for unit in units_of(bank)] == [2, 1]


def test_two_that_say_the_same_in_one_call_are_one_unit_with_both_sources(bank: Bank, tenant: Tenant) -> None:
    messages = [make_message(tenant, bank=bank) for _ in range(2)]
    sources = [Source(0, 5, message_id=message.id) for message in messages]
    units = store(bank, *(prepare("Alice moved.", sources=(source,)) for source in sources))
    assert units[0].id == units[1].id
    with tenant_transaction(tenant.id):
        assert UnitSource.objects.for_tenant(tenant.id).filter(unit_id=units[0].id).count() == 2


def test_the_same_words_in_two_networks_are_two_units(bank: Bank) -> None:
    store(bank, prepare("It rains."), prepare("It rains.", network=Network.EXPERIENCE))
    assert len(units_of(bank)) == 2


def test_a_text_without_words_is_kept_apart_from_others(bank: Bank) -> None:
    store(bank, prepare("🎉"), prepare("!!!"))
    assert [unit.text for unit in units_of(bank)] in (["🎉", "!!!"], ["!!!", "🎉"])


def test_new_units_are_in_the_text_index_and_their_rows_are_written_once(bank: Bank) -> None:
    store(bank, prepare("Alice moved to Lisbon."))
    seen = watch_statements(bank, [prepare("Alice moved to Porto."), prepare("alice moved to lisbon"), prepare("?!")])
    assert [unit.number for unit in units_of(bank)] == [0, 1, None]
    assert [statement for statement in seen if "UPDATE banks_memoryunit SET number" in statement.replace('"', "")] == []
    check_index(bank)


def test_tags_and_metadata_are_rows(bank: Bank, tenant: Tenant) -> None:
    fact = prepare("Alice moved.", tags=("home", "home", "2026"), metadata={"channel": "mail"})
    store(bank, fact)
    store(bank, fact)
    with tenant_transaction(tenant.id):
        assert {row.tag for row in UnitTag.objects.for_tenant(tenant.id)} == {"home", "2026"}
        assert [row.value for row in UnitMetadata.objects.for_tenant(tenant.id)] == ["mail"]


def watch_statements(bank: Bank, facts: Sequence[PreparedFact]) -> list[str]:
    seen: list[str] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with tenant_transaction(bank.tenant_id), connection.execute_wrapper(note):
        seen.clear()
        store_units(bank, facts, now=NOW)
    return seen


def test_a_batch_costs_the_same_number_of_statements_whatever_its_size(bank: Bank) -> None:
    def count(size: int) -> int:
        return len(watch_statements(bank, [prepare(f"Fact {size}-{number}.") for number in range(size)]))

    assert count(2) == count(200) <= 7  # units, sources, and five of the text index


def test_eight_threads_with_the_same_facts_leave_one_row_each(committed_db: None) -> None:
    bank = make_bank(make_tenant("acme"))
    texts = [f"Fact number {number}." for number in range(30)]

    def retain(seed: int) -> None:
        order = np.random.default_rng(seed).permutation(len(texts))
        try:
            store(bank, *(prepare(texts[index]) for index in order))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(retain, range(8)))
    units = units_of(bank)
    assert sorted(unit.text for unit in units) == sorted(texts)
    assert {unit.proof_count for unit in units} == {8}
