"""The page of usage: range, groups, measure, chart and faults."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tenants.models import Tenant, UsageDay, User
from tests.accounts.conftest import join, list_notices, sign_in
from tests.accounts.test_overview import read
from tests.factories import make_api_key
from tests.memory_factories import make_row


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def note(tenant: Tenant, *, days_ago: int, requests: int, **fields: Any) -> None:
    day = timezone.now().date() - timedelta(days=days_ago)
    make_row(UsageDay, tenant, **{"day": day, "kind": "recall", "requests": requests} | fields)


def read_chart(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="usage-chart" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    chart: dict[str, Any] = json.loads(found[1])
    return chart


def test_the_chart_has_every_day(acme: Tenant, client: Client) -> None:
    note(acme, days_ago=3, requests=5)
    note(acme, days_ago=1, requests=2, kind="retain", memories=7)
    chart = read_chart(read(client, "/dashboard/usage/"))
    (series,) = chart["series"]
    assert (len(chart["x"]), len(series["values"])) == (30, 30)
    assert series["values"][-4:] == [5, 0, 2, 0]
    (series,) = read_chart(read(client, "/dashboard/usage/?measure=memories"))["series"]
    assert series["values"][-2] == 7


def test_the_chart_is_split_by_the_group_and_the_rest_is_one_series(acme: Tenant, client: Client) -> None:
    for number in range(8):
        note(acme, days_ago=1, requests=number + 1, bank_id=f"bank-{number}")
    chart = read_chart(read(client, "/dashboard/usage/?by=bank"))
    assert [one["label"] for one in chart["series"]] == ["bank-7", "bank-6", "bank-5", "bank-4", "bank-3", "Other"]
    assert [one["values"][-2] for one in chart["series"]] == [8, 7, 6, 5, 4, 6]


def test_the_largest_group_comes_first_in_the_table(acme: Tenant, client: Client) -> None:
    for bank_id, requests in (("small", 1), ("large", 9)):
        note(acme, days_ago=1, requests=requests, bank_id=bank_id)
    table = read(client, "/dashboard/usage/?by=bank").split("<tbody>")[1]
    assert table.index("large") < table.index("small")


def test_keys_have_their_names_for_those_who_may_see_them(acme: Tenant, client: Client) -> None:
    key = make_api_key(acme, name="Production")
    note(acme, days_ago=1, requests=1, api_key_prefix=key.prefix)
    assert "Production" in read(client, "/dashboard/usage/?by=key")
    page = read(sign_in(join(acme, "vic@example.com", "viewer"), acme), "/dashboard/usage/?by=key")
    assert "Production" not in page
    assert key.prefix in page


def test_an_id_of_a_bank_is_never_markup(acme: Tenant, client: Client) -> None:
    note(acme, days_ago=1, requests=1, bank_id="</script><script>alert(1)")
    page = read(client, "/dashboard/usage/?by=bank")
    assert "<script>alert" not in page
    assert read_chart(page)["series"][0]["label"] == "</script><script>alert(1)"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("since=soon", "From: “soon” can't be read, so it does not filter."),
        ("since=2026-05-02&until=2026-05-01", "The first day must not be after the last one."),
        ("since=2001-01-01", "Ask for at most 400 days."),
        ("by=person", "Grouped by: “person” can't be read, so it does not filter."),
        ("measure=weight", "Measure: “weight” can't be read, so it does not filter."),
    ],
)
def test_a_query_that_can_not_be_read_shows_the_usual_days_and_says_so(
    acme: Tenant, client: Client, query: str, sentence: str
) -> None:
    note(acme, days_ago=1, requests=3)
    answer = client.get(f"/dashboard/usage/?{query}")
    assert answer.status_code == 200
    assert list_notices(answer.content.decode()) == [sentence]
    assert len(read_chart(answer.content.decode())["x"]) == 30


def test_a_tenant_without_usage_sees_so(client: Client) -> None:
    page = read(client, "/dashboard/usage/")
    assert "Nothing was used in these days." in page
