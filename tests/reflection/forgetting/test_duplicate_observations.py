from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from django.utils import timezone

from banks.facts import hash_tags
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, Mention, UnitSource
from providers.llm.protocol import ChatMessage, Structured
from providers.usage import Usage
from reflection.forgetting.duplicate_observations import (
    Answer,
    choose_duplicates,
    find_similar_pairs,
    unite_duplicates,
)
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


class Model:
    """A scripted model that takes these pairs for duplicates."""

    model_id = "scripted"

    def __init__(self, *same: int) -> None:
        self.same = list(same)
        self.prompts: list[str] = []

    def complete_as(self, _schema: type[Answer], messages: Sequence[ChatMessage], **_: object) -> Structured[Answer]:
        self.prompts.append(messages[-1].content)
        return Structured(Answer(same=self.same), Usage(calls=1), "", repaired=False)


def unite(bank: Bank, model: Model) -> int:
    with tenant_transaction(bank.tenant_id):
        pairs = find_similar_pairs(bank)
    duplicates = choose_duplicates(pairs, model)  # type: ignore[arg-type]  # the fake has all that is called
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        return unite_duplicates(bank, duplicates.pairs, actor="test", now=timezone.now())


def test_the_newer_duplicate_stays_with_the_facts_of_both(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    older = observe(bank, ana, "Ana plays the cello well.", NEAR[0], day=3)
    newer = observe(bank, ana, "Ana plays cello well.", NEAR[1], day=9)
    observe(bank, ana, "Ana lives by the sea.", NEAR[2])
    model = Model(1)

    assert unite(bank, model) == 1

    [prompt] = model.prompts
    assert "Pair 1\n| Ana plays cello well.\nand\n| Ana plays the cello well." in prompt
    with tenant_transaction(bank.tenant_id):
        older.refresh_from_db()
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=newer)
        assert sources.count() == 2
    assert (older.superseded_by_id, older.expired_at is not None) == (newer.id, True)
    assert older.valid_until == newer.valid_from  # at no time both are current
    assert unite(bank, model) == 0


def test_a_pair_that_the_model_does_not_name_stays(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    observe(bank, ana, "Ana has 2 dogs.", NEAR[0])
    observe(bank, ana, "Ana has 3 dogs.", NEAR[1])

    assert unite(bank, Model(2)) == 0


def test_a_pair_that_changed_meanwhile_stays(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    observe(bank, ana, "Ana plays the cello.", NEAR[0])
    observe(bank, ana, "Ana plays cello.", NEAR[1])
    with tenant_transaction(bank.tenant_id):
        pairs = find_similar_pairs(bank)
        MemoryUnit.objects.of_bank(bank).filter(id=pairs[0].kept.id).update(text="Ana sold her cello.")
        lock_memory(bank)
        assert unite_duplicates(bank, pairs, actor="test", now=timezone.now()) == 0


def test_observations_of_two_entities_are_no_pair(bank: Bank) -> None:
    ana, bea = (make_entity(bank.tenant, bank=bank, name=name, identity=name) for name in ("Ana", "Bea"))
    observe(bank, ana, "Ana plays the cello.", NEAR[0])
    observe(bank, bea, "Bea plays the cello.", NEAR[0])
    model = Model(1)

    assert unite(bank, model) == 0
    assert model.prompts == []


def test_observations_under_other_tags_are_no_pair(bank: Bank) -> None:
    ana = make_entity(bank.tenant, bank=bank, name="Ana")
    for tag in ("user:ann", "user:bob", ""):
        observe(bank, ana, "Ana plays the cello.", NEAR[0], tag=tag)

    assert unite(bank, Model(1)) == 0
