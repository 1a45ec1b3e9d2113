"""The changes of a memory, page by page."""

from typing import Any
from uuid import UUID

import pytest

from banks.models import Bank, MemoryUnit, UnitChange
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.memory_factories import make_row, make_unit


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


@pytest.fixture
def unit(alice: Tenant, bank: Bank) -> MemoryUnit:
    unit = make_unit(alice, bank=bank, text="Alice paints.")
    for number in range(5):
        make_row(UnitChange, alice, unit=unit, action="edited", actor="test", reason=f"step {number}")
    return unit


def read(call: Caller, unit: MemoryUnit, query: str = "") -> Any:
    return call("GET", f"/v1/banks/support/memories/{unit.id}/history{query}").json()


def reasons(page: Any) -> list[str]:
    return [change["reason"] for change in page["changes"]]


def test_all_come_at_once_where_no_page_is_asked_for(call: Caller, unit: MemoryUnit) -> None:
    history = read(call, unit)
    assert set(history) == {"memory_id", "recorded_at", "changes", "superseded_by", "supersedes"}
    assert reasons(history) == [f"step {number}" for number in range(5)]


def test_pages_follow_each_other_without_gap_or_repetition(call: Caller, unit: MemoryUnit) -> None:
    seen, cursor = [], ""
    for _ in range(3):
        page = read(call, unit, f"?limit=2{cursor}")
        seen.append(reasons(page))
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [["step 0", "step 1"], ["step 2", "step 3"], ["step 4"]]
    assert page["next_cursor"] is None


def test_the_last_full_page_has_no_next_and_a_cursor_needs_no_limit(call: Caller, unit: MemoryUnit) -> None:
    assert read(call, unit, "?limit=5")["next_cursor"] is None
    first = read(call, unit, "?limit=1")["next_cursor"]
    rest = read(call, unit, f"?cursor={first}")
    assert (len(rest["changes"]), rest["next_cursor"]) == (4, None)


@pytest.mark.parametrize("query", ["?limit=0", "?limit=201", "?cursor=x", f"?cursor={UUID(int=7)}", "?colour=red"])
def test_a_wrong_page_is_refused(call: Caller, unit: MemoryUnit, query: str) -> None:
    assert read(call, unit, query)["code"] == "invalid"
