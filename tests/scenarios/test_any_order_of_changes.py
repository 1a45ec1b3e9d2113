"""Retain, edit, supersede, delete, restore, merge and split in any order, compared with a simple model after each step.

STATE_MACHINE_EXAMPLES=500 pytest tests/scenarios/test_any_order_of_changes.py
"""

import os
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from banks.models import Bank, Corpus, MemoryUnit, Mention
from banks.text_index.lexemes import extract_lexemes
from banks.text_index.read import rank_texts
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.superseding import Replacement, supersede_memory
from memoryplatform.verify.run import verify
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_tenant

EXAMPLES = int(os.environ.get("STATE_MACHINE_EXAMPLES", "4"))
STEPS = 15
NAMES = ("Zorro", "Wilhelmina Okafor", "Tiago Braga", "Xiulan Mei")  # alike in nothing
PATH = "/v1/banks/support"
numbers = count(1)


@dataclass
class Fact:
    """One memory as the model knows it. `successor` is the memory that replaced it."""

    name: str
    text: str
    is_current: bool = True
    successor: UUID | None = None


@dataclass
class Model:
    """The oracle. `same` holds the names that mean one entity; a name that no fact has means itself again."""

    facts: dict[UUID, Fact] = field(default_factory=dict)
    same: list[set[str]] = field(default_factory=list)

    def names(self) -> set[str]:
        return {fact.name for fact in self.facts.values()}

    def group(self, name: str) -> frozenset[str]:
        return frozenset(next((one for one in self.same if name in one), {name}))

    def merge(self, one: str, other: str) -> None:
        joined = set(self.group(one) | self.group(other))
        self.same = [group for group in self.same if not group & joined] + [joined]

    def part(self, name: str) -> None:
        self.same = [group - {name} for group in self.same]

    def delete(self, unit_id: UUID) -> None:
        gone = self.facts.pop(unit_id)
        for fact in self.facts.values():
            if fact.successor == unit_id:
                fact.successor = None
        if gone.name not in self.names():
            self.part(gone.name)


class Changes(RuleBasedStateMachine):
    units = Bundle("units")

    @initialize()
    def begin(self) -> None:
        self.tenant = make_tenant(f"tenant-{next(numbers)}")
        self.bank: Bank = make_bank(self.tenant, bank_id="support")
        self.call = Caller(make_key_with_text(self.tenant)[1])
        self.access = BankAccess(self.tenant.id)
        self.model = Model()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.call(method, f"{PATH}{path}", body)
        assert answer.status_code in {200, 201}, answer.content
        return answer.json()

    def write(self, name: str) -> str:
        return f"{name} keeps parcel p{next(numbers):05d}."

    def tell(self, name: str, text: str) -> Any:
        fact = {"text": text, "entities": [{"name": name, "kind": "PERSON"}]}
        return self.ask("POST", "/memories", {"items": [{"facts": [fact]}]})

    @rule(target=units, name=st.sampled_from(NAMES))
    def retain(self, name: str) -> UUID:
        text = self.write(name)
        [unit_id] = self.tell(name, text)["unit_ids"]
        self.model.facts[UUID(unit_id)] = Fact(name, text)
        return UUID(unit_id)

    @rule(unit_id=units)
    def retain_again(self, unit_id: UUID) -> None:
        """A current memory gets another proof. No row is added."""
        fact = self.model.facts[unit_id]
        if fact.is_current:
            self.tell(fact.name, fact.text)

    @rule(unit_id=units)
    def edit(self, unit_id: UUID) -> None:
        fact = self.model.facts[unit_id]
        text = self.write(fact.name)
        if not fact.is_current:
            assert self.call("PATCH", f"{PATH}/memories/{unit_id}", {"text": text}).status_code == 409
            return
        self.ask("PATCH", f"/memories/{unit_id}", {"text": text})
        fact.text = text

    @rule(target=units, unit_id=units)
    def supersede(self, unit_id: UUID) -> Any:
        fact = self.model.facts[unit_id]
        if not fact.is_current:
            return multiple()
        text = self.write(fact.name)
        new = supersede_memory(self.access, "support", unit_id, Replacement(text)).new.described.unit
        self.model.facts[new.id] = Fact(fact.name, text)
        fact.is_current, fact.successor = False, new.id
        return new.id

    @rule(unit_id=units)
    def close_or_restore(self, unit_id: UUID) -> None:
        """A current memory is closed by hand, a closed one is restored. The other act is refused."""
        fact = self.model.facts[unit_id]
        act, refused = ("invalidate", "restore") if fact.is_current else ("restore", "invalidate")
        assert self.call("POST", f"{PATH}/memories/{unit_id}/{refused}", {}).status_code == 409
        self.ask("POST", f"/memories/{unit_id}/{act}", {})
        fact.is_current, fact.successor = not fact.is_current, None

    @rule(unit_id=consumes(units))
    def delete(self, unit_id: UUID) -> None:
        self.ask("DELETE", f"/memories/{unit_id}")
        self.model.delete(unit_id)
        assert self.call("GET", f"{PATH}/memories/{unit_id}").status_code == 404

    @precondition(lambda self: len({self.model.group(name) for name in self.model.names()}) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        one, other = data.draw(st.permutations(sorted(self.model.names())))[:2]
        if self.model.group(one) == self.model.group(other):
            return
        self.ask("POST", f"/entities/{self.find_entity(one)}/merge", {"ids": [str(self.find_entity(other))]})
        self.model.merge(one, other)

    @precondition(lambda self: any(len(group) > 1 for group in self.model.same))
    @rule(data=st.data())
    def split(self, data: st.DataObject) -> None:
        group = data.draw(st.sampled_from([group for group in self.model.same if len(group) > 1]))
        name = data.draw(st.sampled_from(sorted(group)))
        self.ask("POST", f"/entities/{self.find_entity(name)}/split", {"names": [name]})
        self.model.part(name)

    def find_entity(self, name: str) -> UUID:
        unit_id = next(key for key, fact in self.model.facts.items() if fact.name == name)
        return self.read_mentions()[unit_id]

    def read_mentions(self) -> dict[UUID, UUID]:
        with tenant_transaction(self.tenant.id):
            rows = list(Mention.objects.for_tenant(self.tenant.id).values_list("unit_id", "entity_id"))
        assert len(dict(rows)) == len(rows), "a memory of one person mentions two entities"
        return dict(rows)

    @invariant()
    def memories_are_those_of_the_model(self) -> None:
        with tenant_transaction(self.tenant.id):
            rows = MemoryUnit.objects.of_bank(self.bank).values_list("id", "text", "expired_at", "superseded_by_id")
            found = {key: (text, expired_at is None, after) for key, text, expired_at, after in rows}
        assert found == {key: (one.text, one.is_current, one.successor) for key, one in self.model.facts.items()}

    @invariant()
    def memories_of_one_entity_are_those_of_the_model(self) -> None:
        groups: dict[UUID, set[UUID]] = {}
        for unit_id, entity_id in self.read_mentions().items():
            groups.setdefault(entity_id, set()).add(unit_id)
        expected: dict[frozenset[str], set[UUID]] = {}
        for unit_id, fact in self.model.facts.items():
            expected.setdefault(self.model.group(fact.name), set()).add(unit_id)
        assert sorted(map(sorted, groups.values())) == sorted(map(sorted, expected.values()))

    def search(self, word: str) -> list[UUID]:
        with tenant_transaction(self.tenant.id):
            ranked = rank_texts(self.bank, {Corpus.UNIT: 10}, extract_lexemes(word))[Corpus.UNIT]
            numbers = [one.number for one in ranked]
            return list(MemoryUnit.objects.of_bank(self.bank).filter(number__in=numbers).values_list("id", flat=True))

    def teardown(self) -> None:
        """Search finds what is current and nothing else, and no invariant of the database is broken."""
        if not hasattr(self, "model"):
            return
        shown = self.ask("GET", "/memories?limit=100")["items"]
        assert {one["text"] for one in shown} == {one.text for one in self.model.facts.values() if one.is_current}
        for unit_id, fact in self.model.facts.items():
            word = fact.text.rpartition(" ")[2].rstrip(".")
            assert self.search(word) == ([unit_id] if fact.is_current else [])
        report = verify([self.tenant], "support")
        assert {one.check: one.first for one in report.results if one.found} == {}


@pytest.mark.usefixtures("committed_db")
def test_the_service_agrees_with_the_model(redis_server: EmbeddedRedis) -> None:
    """A failure is shortened only in a long run, because each try takes a second."""
    is_long = "STATE_MACHINE_EXAMPLES" in os.environ
    few = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        derandomize=not is_long,
        phases=[Phase.generate, *([Phase.shrink] if is_long else [])],
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(Changes, settings=few)
