"""Facts to store, with vectors in which texts with common words are near each other."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from banks.enums import Network
from banks.facts import PreparedFact
from banks.lifecycle.candidates import read_units
from banks.lifecycle.decisions import Action, Decision, Reason
from banks.lifecycle.planning import Plan
from banks.models import Bank, MemoryUnit
from banks.retain.storing import store_facts
from banks.types import ExtractedFact, StoredUnit
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import embed

YEAR = {number: datetime(number, 1, 1, tzinfo=UTC) for number in range(2019, 2028)}

ALONE: dict[str, Any] = {"sources": ()}


def make_fact(text: str, *, said: int = 2024, **fields: Any) -> PreparedFact:
    extras: dict[str, Any] = {
        name: fields.pop(name) for name in ("sources", "is_agents", "relationship_vectors", "tags") if name in fields
    }
    given: dict[str, Any] = {"network": Network.WORLD, "mentioned_at": YEAR[said]} | fields
    fact = ExtractedFact(text, **given)
    return PreparedFact(fact, embed(fact.rendered_text), **ALONE | extras)


def store(bank: Bank, *facts: PreparedFact, plan: Plan | None = None) -> list[StoredUnit]:
    with tenant_transaction(bank.tenant_id):
        return store_facts(bank, facts, speakers=frozenset(), plan=plan)


def make_plan(*decisions: Decision) -> Plan:
    return Plan(decisions, "judge")


def rule(bank: Bank, action: Action, *targets: UUID, reason: Reason = "update", text: str = "") -> Decision:
    with tenant_transaction(bank.tenant_id):
        known = read_units(bank, targets)
    return Decision(action, tuple(known[target] for target in targets), reason, text, embed(text) if text else None)


def units_of(bank: Bank, **conditions: Any) -> dict[str, MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return {unit.text: unit for unit in MemoryUnit.objects.of_bank(bank).filter(**conditions).order_by("id")}
