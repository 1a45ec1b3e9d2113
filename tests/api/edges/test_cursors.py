"""A cursor belongs to its list. Another list refuses it."""

import pytest

from memoryplatform.api.pagination import FOREIGN_CURSOR
from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_unit

MEMORIES = "/v1/banks/support/memories"


def find_fault(call: Caller, path: str) -> str | None:
    answer = call("GET", path)
    if answer.status_code == 200:
        return None
    (fault,) = answer.json()["errors"]
    assert (answer.status_code, fault["field"], fault["code"]) == (422, "cursor", "invalid")
    return str(fault["message"])


@pytest.fixture
def cursor(call: Caller, alice: Tenant, charlie: Tenant) -> str:
    """A cursor over the memories of Alice's bank. Charlie has a bank of the same name."""
    for tenant, bank_id in ((alice, "support"), (alice, "other"), (charlie, "support")):
        bank = make_bank(tenant, bank_id=bank_id)
        for _ in range(3):
            make_unit(tenant, bank=bank)
    return str(call("GET", f"{MEMORIES}?limit=1").json()["next_cursor"])


@pytest.mark.parametrize(("query", "shown"), [("limit=1", 1), ("limit=2", 2), ("offset=0", 2), ("state=current", 2)])
def test_it_continues_its_list_with_pages_of_any_size(call: Caller, cursor: str, query: str, shown: int) -> None:
    page = call("GET", f"{MEMORIES}?{query}&cursor={cursor}").json()
    assert (len(page["items"]), page["next_cursor"] is None) == (shown, shown == 2)


@pytest.mark.parametrize(
    "path",
    [
        f"{MEMORIES}?type=world",
        f"{MEMORIES}?tags=a",
        f"{MEMORIES}?as_of=2026-05-01",
        "/v1/banks/other/memories?limit=1",
        "/v1/banks/support/opinions?",
        "/v1/banks/support/observations?",
        "/v1/banks/support/documents?",
        "/v1/banks/support/entities?",
        "/v1/banks/support/episodes?",
        "/v1/banks/support/messages?",
        "/v1/banks/support/directives?",
        "/v1/banks/support/recalls?",
        "/v1/banks?",
        "/v1/operations?",
    ],
)
def test_it_is_refused_by_any_other_list(call: Caller, cursor: str, path: str) -> None:
    assert find_fault(call, f"{path}&cursor={cursor}") == FOREIGN_CURSOR


def test_it_is_refused_in_a_bank_of_the_same_name(charlie: Tenant, make_caller: MakeCaller, cursor: str) -> None:
    assert find_fault(make_caller(charlie), f"{MEMORIES}?cursor={cursor}") == FOREIGN_CURSOR


@pytest.mark.parametrize("given", ["x", "{row}", "{row}.", "x.{mark}", "{row}.{mark}0", "{row}.00000000"])
def test_a_malformed_cursor_gets_the_same_error(call: Caller, cursor: str, given: str) -> None:
    row, mark = cursor.split(".")
    assert find_fault(call, f"{MEMORIES}?cursor={given.format(row=row, mark=mark)}") == FOREIGN_CURSOR
