"""Entities that a caller gives with a conversation or with facts, in the tables."""

from datetime import UTC, datetime
from typing import Any

import pytest

from banks.models import Entity, Mention
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


def retain(call: Caller, **item: Any) -> None:
    answer = call("POST", "/v1/banks/support/memories", {"items": [{"timestamp": NOON.isoformat()} | item]})
    assert answer.json()["status"] == "completed"


def mentions(tenant: Tenant) -> dict[str, set[str]]:
    """The texts that mention each entity."""
    with tenant_transaction(tenant.id):
        rows = Mention.objects.for_tenant(tenant.id).values_list("entity__name", "unit__text")
        return {name: {text for other, text in rows if other == name} for name, _ in rows}


def test_a_fact_is_about_the_entities_that_came_with_it(call: Caller, alice: Tenant) -> None:
    facts = [{"text": "The contract was signed.", "entities": ["Acme"]}, {"text": "It rained."}]
    retain(call, facts=facts, entities=[{"name": "Berlin", "kind": "LOCATION"}])
    both = {"The contract was signed.", "It rained."}
    assert mentions(alice) == {"Acme": {"The contract was signed."}, "Berlin": both}


@pytest.mark.parametrize("source", ["content", "messages"])
def test_memories_mention_the_entities_of_their_item(call: Caller, alice: Tenant, source: str) -> None:
    text = "The contract was signed yesterday."
    given: Any = text if source == "content" else [{"role": "user", "name": "Ana", "content": text}]
    retain(call, **{source: given}, entities=["Acme"])
    assert len(mentions(alice)["Acme"]) == 1


def test_kinds_that_a_caller_stated_separate_two_entities_of_one_name(call: Caller, alice: Tenant) -> None:
    for kind, text in (("ORGANIZATION", "Apple fell at the stock market."), ("OTHER", "Apple is sweet.")):
        retain(call, facts=[{"text": text, "entities": [{"name": "Apple", "kind": kind}]}])
    retain(call, facts=[{"text": "Apple presented a phone.", "entities": [{"name": "Apple", "kind": "ORGANIZATION"}]}])
    retain(call, facts=[{"text": "Apple is healthy.", "entities": [{"name": "Apple", "kind": "OTHER"}]}])
    with tenant_transaction(alice.id):
        found = dict(Entity.objects.for_tenant(alice.id).values_list("kind", "mention_count"))
    assert found == {"ORGANIZATION": 2, "OTHER": 2}


def test_an_unstated_kind_matches_every_kind(call: Caller, alice: Tenant) -> None:
    retain(call, facts=[{"text": "Acme sells.", "entities": ["Acme"]}])
    retain(call, facts=[{"text": "Acme buys.", "entities": [{"name": "Acme", "kind": "ORGANIZATION"}]}])
    assert len(mentions(alice)["Acme"]) == 2
