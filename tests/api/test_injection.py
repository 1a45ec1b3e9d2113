"""SQL, format strings and patterns in every query parameter and every filter are values and nothing else."""

import json
import time
from collections import defaultdict
from typing import Any
from urllib.parse import urlencode

import pytest

from banks.models import MemoryUnit
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.api.edges.described import Operation, list_operations
from tests.api.test_isolation import make_things
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

SQL = "x') OR 1=1; SELECT pg_sleep(30); DELETE FROM banks_memoryunit; -- \" %s %(a)s $1 {0} ${y} \\"
PATTERN = "(a+)+$" + "a" * 40 + "![" + "%_" * 20
HOSTILE = [SQL, PATTERN]
SLOW_SECONDS = 20  # below the nap of the SQL
MEM0_FILTERS: list[Any] = [
    {"user_id": "{0}"},
    {"AND": [{"user_id": "ana"}, {"metadata": {"{0}": "{0}"}}]},
    {"OR": [{"user_id": {"in": ["{0}"]}}, {"categories": {"contains": "{0}"}}]},
    {"NOT": [{"user_id": "{0}"}, {"created_at": {"gte": "{0}"}}]},
    {"{0}": "ana"},
]
FILTERS: list[dict[str, Any]] = [
    {"tags": ["{0}"], "tags_match": "all"},
    {"tag_groups": [{"tags": ["{0}"], "match": "any"}]},
    {"metadata": {"{0}": "{0}"}},
    {"entities": ["{0}"]},
    {"document_ids": ["{0}"]},
    {"occurred": {"start": "{0}"}},
    {"as_of": "{0}"},
    {"types": ["{0}"]},
    {"filters": {"tags": {"contains": "{0}"}}},
    {"filters": {"metadata": {"{0}": {"icontains": "{0}"}}}},
    {"filters": {"metadata": {"{0}": {"gt": "{0}"}}}},
    {"filters": {"metadata": {"a": {"in": ["{0}"]}}}},
    {"filters": {"or": [{"entities": "{0}"}, {"not": {"tags": "{0}"}}]}},
    {"filters": {"{0}": "{0}"}},
    {"filters": {"mentioned": {"{0}": "2026-01-01"}}},
    {"query": "{0}"},
]


@pytest.fixture
def caller(alice: Tenant, charlie: Tenant, make_caller: MakeCaller) -> Caller:
    make_unit(charlie, bank=make_bank(charlie, bank_id="support"), text="Charlie's canary")
    return make_caller(alice, scopes=["admin"])


def fill(body: Any, text: str) -> Any:
    return json.loads(json.dumps(body).replace("{0}", json.dumps(text)[1:-1]))


def ask(call: Caller, method: str, path: str, body: Any = None) -> int:
    began = time.monotonic()
    answer = call(method, path, body)
    content = b"".join(answer.streaming_content) if answer.streaming and not answer.is_async else b""
    told = content.decode() if answer.streaming else answer.content.decode()
    assert answer.status_code < 500, (method, path, body, told)
    assert time.monotonic() - began < SLOW_SECONDS, (method, path, body)
    assert "canary" not in told, (method, path, body)
    assert "banks_memoryunit" not in told.replace("DELETE FROM banks_memoryunit", ""), (method, path, told)
    return int(answer.status_code)


def count_units(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return MemoryUnit.objects.for_tenant(tenant.id).count()


def list_texts() -> list[tuple[Operation, str]]:
    """Each query parameter of each operation that reads and takes a text."""
    return [
        (one, name)
        for one in list_operations()
        if one.method == "GET"
        for name, shape in one.query.items()
        if "string" in shape.get("type", "") or "array" in shape.get("type", "")
    ]


def test_no_query_parameter_is_more_than_a_value(caller: Caller, alice: Tenant) -> None:
    names = {key.strip("<>").rpartition(":")[2]: value for key, value in make_things(alice).items()}
    things, before = defaultdict(lambda: "x", names), count_units(alice)
    texts = list_texts()
    assert len(texts) > 50
    statuses = {ask(caller, "GET", f"{one.url(things)}?{urlencode({name: SQL})}") for one, name in texts}
    assert {200, 422} <= statuses
    searched = [(one, name) for one, name in texts if name in {"q", "search", "query", "name", "actor", "target"}]
    assert searched
    for one, name in searched:
        ask(caller, "GET", f"{one.url(things)}?{urlencode({name: PATTERN})}")
    assert count_units(alice) == before


@pytest.mark.parametrize("text", HOSTILE, ids=["SQL", "pattern"])
def test_no_filter_is_more_than_a_value(caller: Caller, alice: Tenant, text: str) -> None:
    make_unit(alice, bank=make_bank(alice, bank_id="support"), text="Ana sings.")
    statuses = []
    for body in FILTERS:
        given = fill({"query": "Ana", "rerank": False} | body, text)
        statuses.append(ask(caller, "POST", "/v1/banks/support/memories/recall", given))
        statuses.append(ask(caller, "POST", "/v1/recall", given | {"banks": ["support"]}))
    for filters in MEM0_FILTERS:
        given = {"filters": fill(filters, text)}
        statuses.append(ask(caller, "POST", "/v2/memories/", given))
        statuses.append(ask(caller, "POST", "/v2/memories/search/", given | {"query": text}))
    assert statuses.count(200) > 20
    assert count_units(alice) == 1


def test_ids_in_a_path_are_values(caller: Caller, alice: Tenant) -> None:
    make_tenant("bystander")
    for text in ("'%20OR%20'1'='1", "x';SELECT%20pg_sleep(30)--", "%25s%25s", "..%2f..%2fetc%2fpasswd", "$(id)"):
        for path in ("/v1/banks/{}", "/v1/banks/{}/memories", "/v1/banks/support/documents/{}", "/v1/operations/{}"):
            assert ask(caller, "GET", path.format(text)) in {404, 422}
