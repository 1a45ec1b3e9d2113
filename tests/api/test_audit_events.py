"""`/v1/audit-events`, for keys with the scope admin."""

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller


def actions(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [event["action"] for event in answer["events"]]


def test_audit_events_are_listed_newest_first_and_by_bank(alice: Tenant, make_caller: MakeCaller) -> None:
    admin = make_caller(alice, scopes=["admin"])
    for bank_id in ("one", "two"):
        admin("POST", "/v1/banks", {"bank_id": bank_id})
    admin("PATCH", "/v1/banks/one", {"name": "First"})
    assert actions(admin("GET", "/v1/audit-events").json())[:3] == ["bank.changed", "bank.created", "bank.created"]
    (changed, created) = admin("GET", "/v1/banks/one/audit-events").json()["events"]
    assert (changed["action"], changed["bank_id"], changed["detail"]) == ("bank.changed", "one", {"fields": ["name"]})
    assert created["api_key_prefix"]
    assert created["request_id"]


def test_it_is_filtered_and_paged(alice: Tenant, make_caller: MakeCaller) -> None:
    admin, other = (make_caller(alice, scopes=["admin"]) for _ in range(2))
    for number in range(3):
        admin("POST", "/v1/banks", {"bank_id": f"b{number}"})
    other("PATCH", "/v1/banks/b0", {"name": "x"})
    page = admin("GET", "/v1/audit-events?action=bank.created&limit=2").json()
    rest = admin("GET", f"/v1/audit-events?action=bank.created&limit=2&cursor={page['next_cursor']}").json()
    assert [event["bank_id"] for event in page["events"] + rest["events"]] == ["b2", "b1", "b0"]
    prefix = other.key.split("_")[1]
    assert actions(admin("GET", f"/v1/audit-events?actor={prefix}").json()) == ["bank.changed"]
    first = page["events"][1]["at"].replace("+", "%2B")
    until = actions(admin("GET", f"/v1/audit-events?action=bank.created&until={first}").json())
    assert until == ["bank.created"]
    assert actions(admin("GET", "/v1/audit-events?since=2100-01-01T00:00:00Z").json()) == []
    assert admin("GET", "/v1/audit-events?since=yesterday").status_code == 422


def test_a_key_of_some_banks_sees_those_and_a_reader_nothing(
    alice: Tenant, call: Caller, make_caller: MakeCaller
) -> None:
    make_caller(alice, scopes=["admin"])("POST", "/v1/banks", {"bank_id": "theirs"})
    limited = make_caller(alice, scopes=["admin"], banks=["mine"])
    limited("POST", "/v1/banks", {"bank_id": "mine"})
    assert [event["bank_id"] for event in limited("GET", "/v1/audit-events").json()["events"]] == ["mine"]
    assert limited("GET", "/v1/banks/theirs/audit-events").status_code == 404
    assert call("GET", "/v1/audit-events").status_code == 403
