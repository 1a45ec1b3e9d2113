"""The graph: the newest nodes, the neighbours of one node, and the search."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from banks.models import Bank, Entity, Link, MemoryUnit, Mention, UnitSource
from tenants.models import Tenant, User
from tests.accounts.conftest import sign_in
from tests.dashboard.test_entities import name_entity
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_entity, make_relationship, make_row, make_unit

DATA = "/dashboard/banks/support/graph/data/"


@pytest.fixture
def bank(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="support")


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


@pytest.fixture
def alice(acme: Tenant, bank: Bank) -> Entity:
    return name_entity(acme, bank, "Alice", mention_count=1)


@pytest.fixture
def moved(acme: Tenant, bank: Bank, alice: Entity) -> MemoryUnit:
    unit = make_unit(acme, bank=bank, text="Alice moved to Lisbon.")
    make_row(Mention, acme, unit=unit, entity=alice, name="Alice")
    return unit


def draw(client: Client, **query: Any) -> tuple[dict[str, str], set[tuple[str, str, str]]]:
    """The labels by node, and the edges."""
    data = client.get(DATA, query).json()
    return {key: label for key, label, *_ in data["nodes"]}, {(one[0], one[1], one[2]) for one in data["edges"]}


def key(node: Entity | MemoryUnit) -> str:
    return f"{'entity' if isinstance(node, Entity) else 'memory'}:{node.id}"


def test_edges_have_their_types(client: Client, acme: Tenant, bank: Bank, alice: Entity, moved: MemoryUnit) -> None:
    lisbon = make_entity(acme, bank=bank, name="Lisbon")
    job = make_unit(acme, bank=bank, text="Alice found a job.")
    belief = make_unit(acme, bank=bank, text="Alice is happy.", network="opinion", confidence=0.7)
    make_row(Mention, acme, unit=moved, entity=lisbon, name="Lisbon")
    make_row(Link, acme, source=job, target=moved, type="causes", weight=0.9)
    make_row(Link, acme, source=job, target=belief, type="semantic", weight=0.9)
    make_row(UnitSource, acme, unit=belief, other_unit=moved, role="evidence")
    make_relationship(acme, bank=bank, subject=alice, object=lisbon, value="")
    labels, edges = draw(client)
    assert set(labels.values()) == {
        "Alice", "Lisbon", "Alice moved to Lisbon.", "Alice found a job.", "Alice is happy.",
    }  # fmt: skip
    assert edges == {
        (key(moved), key(alice), "mention"),
        (key(moved), key(lisbon), "mention"),
        (key(alice), key(lisbon), "relationship"),
        (key(job), key(moved), "causal"),
        (key(job), key(belief), "semantic"),
        (key(belief), key(moved), "evidence"),
    }


def test_a_node_is_expanded(client: Client, acme: Tenant, bank: Bank, alice: Entity, moved: MemoryUnit) -> None:
    far = make_unit(acme, bank=bank, text="Bob likes tea.")
    labels, edges = draw(client, node=key(alice))
    assert list(labels) == [key(alice), key(moved)]
    assert edges == {(key(moved), key(alice), "mention")}
    make_row(Link, acme, source=far, target=moved, type="semantic", weight=0.5)
    labels, _ = draw(client, node=key(moved))
    assert next(iter(labels)) == key(moved)
    assert set(labels) == {key(alice), key(moved), key(far)}


def test_the_panel_lists_the_neighbours(client: Client, alice: Entity, moved: MemoryUnit) -> None:
    page = client.get(f"/dashboard/banks/support/graph/?node={key(alice)}").content.decode()
    assert "Alice moved to Lisbon." in page
    assert f"/dashboard/banks/support/entities/{alice.id}/" in page
    partial = client.get(f"/dashboard/banks/support/graph/?node={key(moved)}", headers={"HX-Request": "true"})
    assert b"<html" not in partial.content
    assert key(alice).encode() in partial.content


def test_a_search_finds_entities_by_name(client: Client, alice: Entity, moved: MemoryUnit) -> None:
    found = client.get("/dashboard/banks/support/graph/?q=ali", headers={"HX-Request": "true"}).content.decode()
    assert key(alice) in found
    missing = client.get("/dashboard/banks/support/graph/?q=zzz", headers={"HX-Request": "true"})
    assert b"Nothing has these words." in missing.content


@pytest.mark.parametrize("query", ["node=x", "node=entity:x", "node=person:1", "size=7", "size=x", "q=%00"])
def test_nonsense_is_ignored(client: Client, moved: MemoryUnit, query: str) -> None:
    assert client.get(f"/dashboard/banks/support/graph/?{query}").status_code == 200
    assert len(client.get(f"{DATA}?{query}").json()["nodes"]) == 2


def test_a_node_of_another_tenant_is_missing(client: Client, bank: Bank) -> None:
    other = make_tenant()
    for node in (make_entity(other), make_unit(other)):
        assert client.get(DATA, {"node": key(node)}).status_code == 404
        assert client.get("/dashboard/banks/support/graph/", {"node": key(node)}).status_code == 404
    assert client.get(DATA, {"node": f"entity:{uuid4()}"}).status_code == 404


def test_an_empty_bank_says_so(client: Client, bank: Bank) -> None:
    assert b"No memories yet" in client.get("/dashboard/banks/support/graph/").content
    assert client.get(DATA).json() == {"nodes": [], "edges": []}


def test_the_queries_do_not_grow(
    client: Client, acme: Tenant, bank: Bank, alice: Entity, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ids: list[UUID] = []
    for number in range(12):
        unit = make_unit(acme, bank=bank, text=f"Fact {number}.")
        make_row(Mention, acme, unit=unit, entity=alice, name="Alice")
        ids.append(unit.id)
    draw(client)  # the first page of a bank is remembered in the session
    with django_assert_max_num_queries(24):
        labels, _ = draw(client)
    assert len(labels) == len(ids) + 1
    with django_assert_max_num_queries(28):
        client.get("/dashboard/banks/support/graph/", {"node": key(alice)})
