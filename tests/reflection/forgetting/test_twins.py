from datetime import UTC, datetime

import numpy as np
import pytest
from django.utils import timezone

from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from banks.retain.prepared import hash_tags
from reflection.forgetting.twins import has_same_values, unite_twins
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_entity, make_row, make_unit

NEAR = [np.eye(384)[0], np.eye(384)[0] + 0.01 * np.eye(384)[1], np.eye(384)[2]]


def observe(bank: Bank, entity: Entity, text: str, vector: np.ndarray, *, tag: str = "", day: int = 1) -> MemoryUnit:
    unit = make_unit(
        bank.tenant,
        bank=bank,
        network="observation",
        text=text,
        content_hash=uuid7().bytes,
        tags_hash=hash_tags([tag] if tag else []),
        embedding=vector / np.linalg.norm(vector),
        valid_from=datetime(2026, 5, day, tzinfo=UTC),
    )
    make_row(Mention, bank.tenant, unit=unit, entity=entity, name=entity.name)
    fact = make_unit(bank.tenant, bank=bank, text=f"Fact behind {text}", content_hash=uuid7().bytes)
    make_row(UnitSource, bank.tenant, unit=unit, role="summarises", other_unit=fact)
    return unit


def unite(bank: Bank) -> int:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        return unite_twins(bank, actor="test", now=timezone.now())


def test_of_two_that_say_the_same_the_newer_stays_with_the_facts_of_both(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    older = observe(bank, ana, "Ana plays the cello well.", NEAR[0], day=3)
    newer = observe(bank, ana, "Ana plays cello well.", NEAR[1], day=9)
    observe(bank, ana, "Ana lives by the sea.", NEAR[2])

    assert unite(bank) == 1

    with tenant_transaction(bank.tenant_id):
        older.refresh_from_db()
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=newer)
        assert sources.count() == 2
    assert (older.superseded_by_id, older.expired_at is not None) == (newer.id, True)
    assert older.valid_until == newer.valid_from  # no time shows both
    assert unite(bank) == 0


def test_observations_of_two_entities_are_never_one(bank: Bank) -> None:
    ana, bea = (make_entity(bank.tenant, bank=bank, name=name, identity=name) for name in ("Ana", "Bea"))
    observe(bank, ana, "Ana plays the cello.", NEAR[0])
    observe(bank, bea, "Bea plays the cello.", NEAR[0])

    assert unite(bank) == 0


def test_observations_under_other_tags_are_never_one(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    for tag in ("user:ann", "user:bob", ""):
        observe(bank, ana, "Ana plays the cello.", NEAR[0], tag=tag)

    assert unite(bank) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ana has 2 dogs.", "Ana has 3 dogs.", False),
        ("Ana moved to Porto.", "Ana moved to Lisbon.", False),
        ("Ana plays the cello.", "Ana plays cello.", True),
        ("The cello of Ana is old.", "Ana's cello is old.", False),
        ("The band plays in Rome.", "A band plays in Rome.", True),
        ("Ana works with Bob and reports to Eve.", "Ana works with Bob, and she reports to Eve.", True),
        ("Ana works with Bob and reports to Eve.", "Ana works with Eve and reports to Bob.", False),
        ("In May Ana beat Bob at chess.", "In May Bob beat Ana at chess.", False),
        ("Ana trusts Bob.", "Bob trusts Ana.", False),
        ("Ana moved from Rome to Oslo.", "Ana moved from Oslo to Rome.", False),
        ("Ana sold 3 boats for 40 coins.", "Ana sold 40 boats for 3 coins.", False),
        ("Ana has two dogs.", "Ana has three dogs.", False),
        ("Ana prefers tea to coffee.", "Ana prefers coffee to tea.", False),
        ("Ana is married.", "Ana is not married.", False),
        ("Ana is a teacher.", "Ana was a teacher.", False),
        ("Ana moved to Rome.", "Ana moved from Rome.", False),
        ("Ana likes jazz.", "Ana doesn\u2019t like jazz.", False),
        ("Bob plays the cello.", "Ana plays the cello.", False),
    ],
)
def test_a_name_or_number_makes_another_statement(one: str, other: str, *, same: bool) -> None:
    assert has_same_values(one, other) is same
