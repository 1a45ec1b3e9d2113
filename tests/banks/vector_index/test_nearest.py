import numpy as np
import pytest

from banks.models import Bank
from banks.vector_index.nearest import Neighbour, find_neighbours, scan_units, search_index
from providers.embedding.vector import Vector
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit


def angle(degrees: float) -> Vector:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)


@pytest.fixture
def bank(db: None) -> Bank:
    tenant = make_tenant("acme")
    bank = make_bank(tenant)
    bank.tenant = tenant  # at hand without a query
    return bank


def find(bank: Bank, *vectors: Vector, nearest: int = 5, least_cosine: float = -1.0) -> list[list[Neighbour]]:
    with tenant_transaction(bank.tenant_id):
        return find_neighbours(bank, vectors, nearest=nearest, least_cosine=least_cosine)


def test_each_vector_gets_its_nearest_first(bank: Bank) -> None:
    ids = {degrees: make_unit(bank.tenant, bank=bank, embedding=angle(degrees)).id for degrees in (0, 30, 60, 90)}
    found = find(bank, angle(1), angle(89), nearest=2)
    assert [[one.unit_id for one in near] for near in found] == [[ids[0], ids[30]], [ids[90], ids[60]]]
    assert found[0][1].cosine == pytest.approx(np.cos(np.radians(29)), abs=1e-6)


def test_what_is_too_far_is_left_out(bank: Bank) -> None:
    make_unit(bank.tenant, bank=bank, embedding=angle(0))
    make_unit(bank.tenant, bank=bank, embedding=angle(60))
    assert [len(near) for near in find(bank, angle(0), angle(180), least_cosine=0.7)] == [1, 0]


def test_only_live_units_of_the_bank_with_vectors_of_that_length_count(bank: Bank) -> None:
    closed = {"expired_at": "2026-01-01T00:00:00Z", "close_reason": "update"}
    make_unit(bank.tenant, bank=bank, embedding=angle(0), **closed)
    make_unit(bank.tenant, bank=bank, embedding=None)
    make_unit(bank.tenant, bank=bank, embedding=np.ones(3, dtype=np.float32))
    make_unit(bank.tenant, embedding=angle(0))
    assert find(bank, angle(0)) == [[]]
    assert find(bank) == []


def test_the_scan_and_the_search_find_the_same(bank: Bank) -> None:
    vectors = np.random.default_rng(3).normal(size=(60, 16)).astype(np.float32)
    for vector in vectors[:50]:
        make_unit(bank.tenant, bank=bank, embedding=vector)
    asked = [vector / np.linalg.norm(vector) for vector in vectors[40:]]
    with tenant_transaction(bank.tenant_id):
        scanned, searched = (find(bank, asked, nearest=4) for find in (scan_units, search_index))
    for one, other in zip(scanned, searched, strict=True):
        assert [near.unit_id for near in one] == [near.unit_id for near in other]
        assert [near.cosine for near in one] == pytest.approx([near.cosine for near in other], abs=1e-5)
