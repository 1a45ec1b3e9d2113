"""Plans: rows that staff assign and override, with limits that the database checks."""

from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.test import Client
from prometheus_client import REGISTRY
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from memoryplatform.api import throttling
from memoryplatform.api.throttling import RateCounter
from tenants.models import AuditEvent, Plan, PlanAssignment, Quota, Tenant, User
from tenants.plans import PlanLimits, find_limits, read_limits
from tenants.scoping import PLATFORM_CONNECTION
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import list_notices, sign_in
from tests.api.conftest import Caller
from tests.factories import assign_limits, make_key_with_text, make_user

LIMITS = ("requests_per_minute", *Quota.values)


@pytest.fixture(autouse=True)
def counter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "COUNTER", RateCounter())


@pytest.fixture
def call(acme: Tenant) -> Caller:
    return Caller(make_key_with_text(acme, scopes=["admin"])[1])


@pytest.fixture
def staff(committed_db: None) -> Client:
    return sign_in(make_user("staff@example.com", is_staff=True, is_superuser=True))


def make_plan(**fields: Any) -> Plan:
    return Plan.objects.using(PLATFORM_CONNECTION).create(**{"name": "Team"} | fields)


def show(tenant: Tenant) -> PlanLimits:
    with tenant_transaction(tenant.id):
        return read_limits(tenant.id)


def test_a_tenant_without_an_assignment_has_no_limits(acme: Tenant, call: Caller) -> None:
    assert show(acme) == PlanLimits("Unlimited")
    plan = call("GET", "/v1/account/plan").json()
    assert (plan["plan"], plan["requests_per_minute"]) == ("Unlimited", None)
    assert {one["quota"]: one["limit"] for one in plan["quotas"]} == dict.fromkeys(Quota.values)


def test_an_override_replaces_one_limit_of_the_plan(acme: Tenant) -> None:
    plan = make_plan(memories=10, banks=3)
    rows = PlanAssignment.objects.using(PLATFORM_CONNECTION).for_tenant(acme.id)
    rows.create(plan=plan, memories=50)
    assert show(acme) == PlanLimits("Team", memories=50, banks=3)


def test_the_plan_and_its_use_are_shown(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=4, requests_per_minute=100)
    fact = {"facts": [{"text": "Alice likes tea.", "type": "world"}]}
    call("POST", "/v1/banks/support/memories", {"items": [fact]})
    plan = call("GET", "/v1/account/plan").json()
    assert plan["requests_per_minute"] == 100
    assert plan["quotas"][0] == {"quota": "memories", "limit": 4, "used": 1, "percent": 25}


def test_staff_assign_a_plan_and_override_a_limit_in_the_admin(acme: Tenant, staff: Client) -> None:
    empty = dict.fromkeys(LIMITS, "")
    added = staff.post("/admin/tenants/plan/add/", {"name": "Team", **empty, "banks": "2"})
    assert added.status_code == 302, added.content
    plan = Plan.objects.get(name="Team")
    page = "/admin/tenants/planassignment/add/"
    given = {"tenant": str(acme.id), "plan": str(plan.id), "note": "trial", **empty, "memories": "7"}
    assert staff.post(page, given).status_code == 302
    assert find_limits(acme.id) == PlanLimits("Team", memories=7, banks=2)
    with tenant_transaction(acme.id):
        assert AuditEvent.objects.for_tenant(acme.id).filter(action="admin.added").exists()
    assert staff.post(page, given).status_code == 200  # a second plan of the same tenant


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("amount", ["-1", "1000000000000001", "many"])
def test_the_admin_refuses_negative_and_absurd_limits(staff: Client, limit: str, amount: str) -> None:
    answer = staff.post("/admin/tenants/plan/add/", {"name": "Odd", **dict.fromkeys(LIMITS, ""), limit: amount})
    assert answer.status_code == 200
    assert not Plan.objects.filter(name="Odd").exists()


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("amount", [-1, 10**15 + 1])
def test_the_database_refuses_negative_and_absurd_limits(acme: Tenant, limit: str, amount: int) -> None:
    if limit == "requests_per_minute":
        amount = min(amount, 2**31 - 1)
    with pytest.raises(IntegrityError, match="in_range"):
        make_plan(**{limit: amount})
    with pytest.raises(IntegrityError, match="in_range"):
        assign_limits(acme, **{limit: amount})


def test_there_is_one_default_plan(committed_db: None, staff: Client) -> None:
    with pytest.raises(IntegrityError, match="one_default_plan"):
        make_plan(is_default=True)
    default = Plan.objects.get(is_default=True)
    assert staff.post(f"/admin/tenants/plan/{default.id}/delete/", {"post": "yes"}).status_code == 403


def test_the_service_can_not_raise_a_limit(acme: Tenant) -> None:
    assign_limits(acme, memories=1)
    for statement in (
        "UPDATE tenants_plan SET memories = 9",
        "INSERT INTO tenants_plan (id, name, is_default) VALUES (gen_random_uuid(), 'Mine', false)",
        "UPDATE tenants_planassignment SET memories = 9",
        "DELETE FROM tenants_planassignment",
        "UPDATE tenants_storagechange SET memories = 0",
    ):
        with (
            tenant_transaction(acme.id),
            pytest.raises(ProgrammingError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_the_limit_of_the_plan_replaces_the_setting(acme: Tenant, call: Caller, settings: Settings) -> None:
    settings.RATE_LIMIT_PER_KEY, settings.RATE_LIMIT_PER_TENANT = 100, 1
    assign_limits(acme, requests_per_minute=2)
    other = Caller(make_key_with_text(acme)[1])
    answers = [call("GET", "/v1/banks"), other("GET", "/v1/banks"), call("GET", "/v1/banks")]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert (answers[0].headers["RateLimit-Limit"], answers[2].headers["Retry-After"]) == ("2", "30")


@pytest.mark.parametrize("path", ["/v1/default/banks", "/v1/memories/?user_id=bob"])
def test_the_routes_of_other_clients_obey_the_plan(acme: Tenant, call: Caller, path: str) -> None:
    assign_limits(acme, requests_per_minute=1)
    assert [call("GET", path).status_code for _ in range(2)] == [200, 429]


def test_known_limits_take_no_query(
    acme: Tenant, call: Caller, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    call("GET", "/v1/ping/")
    with django_assert_num_queries(1):  # the key
        call("GET", "/v1/ping/")


def test_metrics_are_by_plan(acme: Tenant, call: Caller) -> None:
    def read(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(f"memoryplatform_plan_{name}_total", {"plan": "Unlimited", **labels}) or 0

    requests, refusals = read("requests", outcome="passed"), read("quota_refusals", quota="banks")
    tokens = read("tokens", service="embedding")
    assign_limits(acme, banks=1)
    fact = {"facts": [{"text": "Alice likes tea.", "type": "world"}]}
    assert call("POST", "/v1/banks/support/memories", {"items": [fact]}).status_code == 200
    assert call("POST", "/v1/banks", {"bank_id": "other"}).status_code == 402
    assert read("requests", outcome="passed") == requests + 2
    assert read("quota_refusals", quota="banks") == refusals + 1
    assert read("tokens", service="embedding") > tokens


@pytest.mark.parametrize("page", ["plan", "usage", "usage/?by=day+bank&since=2026-05-01&until=2026-05-02"])
def test_the_pages_open_for_a_viewer(acme: Tenant, owner: User, page: str) -> None:
    assign_limits(acme, memories=10)
    answer = sign_in(owner, acme).get(f"/dashboard/{page}" if "?" in page else f"/dashboard/{page}/")
    assert answer.status_code == 200
    assert ("0 of 10" if page == "plan" else "/v1/account/usage?since=") in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("since=soon", "From: “soon” can't be read, so it does not filter."),
        ("since=2026-05-02&until=2026-05-01", "The first day must not be after the last one."),
        ("by=person", "Grouped by: “person” can't be read, so it does not filter."),
        ("since=1999-01-01", "Ask for at most 400 days."),
    ],
)
def test_the_usage_page_explains_a_fault(acme: Tenant, owner: User, query: str, sentence: str) -> None:
    client = sign_in(owner, acme)
    answer = client.get(f"/dashboard/usage/?{query}")
    assert answer.status_code == 200
    assert list_notices(answer.content.decode()) == [sentence]
    assert list_notices(client.get("/dashboard/usage/").content.decode()) == []
