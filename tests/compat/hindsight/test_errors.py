"""Edge cases of Hindsight's interface: health, keys, unknown fields, and routes that answer 501."""

import json
from typing import Any

import aiohttp
import pytest
from django.db import OperationalError
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from memoryplatform.api.compat.hindsight import recall
from memoryplatform.operations import recall as use_case
from tests.compat.hindsight.conftest import Run
from tests.retrieval.memory import Memory


async def send(base_url: str, path: str, **options: Any) -> tuple[int, Any]:
    async with aiohttp.request(options.pop("method", "POST"), f"{base_url}{path}", **options) as response:
        return response.status, json.loads(await response.read())


def test_version_and_health_need_no_key(base_url: str, run: Run, committed_db: None) -> None:
    stranger = Hindsight(base_url=base_url)
    version = stranger.get_version()
    assert version.api_version == "1.1.0"
    assert (version.features.observations, version.features.file_upload_api) == (True, True)
    assert (version.features.mcp, version.features.audit_log) == (True, True)
    assert run(send(base_url, "/v1/version", method="GET")) == run(send(base_url, "/version", method="GET"))
    assert run(stranger.monitoring.get_liveness()).status == "alive"
    assert run(stranger.monitoring.health_endpoint_health_get()) == {"status": "ok", "database": "connected"}
    run(stranger.aclose())  # type: ignore[no-untyped-call]  # theirs


def test_a_stranger_gets_nothing(base_url: str, run: Run, committed_db: None) -> None:
    for stranger in (Hindsight(base_url=base_url), Hindsight(base_url=base_url, api_key="mpk_no")):
        with pytest.raises(ApiException, match="Authentication failed: ") as refused:
            stranger.recall("support", "Bob boat")
        assert refused.value.status == 401
        run(stranger.aclose())  # type: ignore[no-untyped-call]  # theirs


def test_unknown_fields_are_ignored(client: Hindsight, run: Run, base_url: str, memory: Memory) -> None:
    memory.unit("Bob has a boat")
    headers = client.memory.api_client.default_headers
    body = {"query": "Bob boat", "no_such": 1, "budget": None, "include": {"entities": {"no_such": 1}, "no_such": 2}}
    status, answer = run(send(base_url, "/v1/default/banks/support/memories/recall", json=body, headers=headers))
    assert (status, [result["text"] for result in answer["results"]]) == (200, ["Bob has a boat"])
    where = "/v1/default/banks/support/memories/list?no_such=1&limit=7"
    assert run(send(base_url, where, method="GET", headers=headers))[1]["limit"] == 7


def test_a_wrong_field_is_named_as_the_peer_names_it(
    client: Hindsight, run: Run, base_url: str, memory: Memory
) -> None:
    headers = client.memory.api_client.default_headers
    body = {"query": "Bob boat", "include": {"chunks": {"max_tokens": -1}}}
    status, answer = run(send(base_url, "/v1/default/banks/support/memories/recall", json=body, headers=headers))
    (fault,) = answer["detail"]
    assert (status, fault["type"], fault["loc"]) == (422, "min_value", ["body", "include", "chunks", "max_tokens"])
    assert set(answer) == {"detail"}
    items = {"items": [{"content": "Bob has a boat."}, {"content": "Bob.", "timestamp": "soon"}]}
    _, answer = run(send(base_url, "/v1/default/banks/support/memories", json=items, headers=headers))
    assert answer["detail"][0]["loc"] == ["body", "items", 1, "timestamp"]
    where = "/v1/default/banks/support/memories/list?limit=-1"
    _, answer = run(send(base_url, where, method="GET", headers=headers))
    assert answer["detail"][0]["loc"] == ["query", "limit"]
    where = "/v1/default/banks/support/memories"
    _, answer = run(send(base_url, f"{where}?type=", method="DELETE", headers=headers))
    assert answer["detail"][0]["loc"] == ["query", "type"]
    where_to = {"target_bank_id": "copy"}
    _, answer = run(send(base_url, "/v1/default/banks/support/clone", json=where_to, headers=headers))
    assert answer["detail"][0]["loc"] == ["query", "target_bank_id"]
    _, answer = run(send(base_url, where, method="DELETE", headers=headers, json={"type": "world"}))
    assert answer["detail"][0]["loc"] == ["body"]


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"3"])
def test_a_body_that_is_no_object_is_refused(client: Hindsight, run: Run, base_url: str, body: bytes) -> None:
    headers = client.memory.api_client.default_headers | {"Content-Type": "application/json"}
    bank = "/v1/default/banks/support"
    for method, path in (
        ("POST", "/memories"),
        ("POST", "/memories/recall"),
        ("POST", "/reflect"),
        ("PUT", ""),
        ("PATCH", "/config"),
    ):
        status, _ = run(send(base_url, f"{bank}{path}", method=method, data=body, headers=headers))
        assert status == 422, path


def test_numbers_and_booleans_may_be_texts_as_with_the_peer(
    client: Hindsight, run: Run, base_url: str, memory: Memory
) -> None:
    memory.unit("Bob has a boat")
    headers = client.memory.api_client.default_headers
    bank = "/v1/default/banks/support"
    for method, path, body in (
        (
            "POST",
            "/memories/recall",
            {"query": "Bob boat", "max_tokens": "100", "trace": "no", "thinking_budget": 100.0},
        ),
        ("POST", "/memories/recall", {"query": "Bob boat", "include": {"chunks": {"max_tokens": "9"}}}),
        ("POST", "/memories/recall", {"query": "Bob boat", "include": {"source_facts": {"max_tokens": "9"}}}),
        ("POST", "/memories", {"items": [{"content": "Bob."}], "async": "true"}),
        ("PUT", "", {"disposition": {"empathy": "2"}}),
    ):
        status, answer = run(send(base_url, f"{bank}{path}", method=method, json=body, headers=headers))
        assert status == 200, (body, answer)


def test_a_number_is_no_text_as_with_the_peer(client: Hindsight, run: Run, base_url: str, memory: Memory) -> None:
    unit = memory.unit("Bob has a boat")
    headers = client.memory.api_client.default_headers
    bank = "/v1/default/banks/support"
    for method, path, body, where in (
        ("POST", "/memories/recall", {"query": 5}, ["query"]),
        ("POST", "/memories/recall", {"query": "Bob boat", "tags": [1]}, ["tags", 0]),
        ("POST", "/memories/recall", {"query": "Bob boat", "max_tokens": "1e3"}, ["max_tokens"]),
        ("POST", "/memories", {"items": [{"content": 12345}]}, ["items", 0, "content"]),
        (
            "POST",
            "/memories",
            {"items": [{"content": "x", "metadata": {"floor": 3}}]},
            ["items", 0, "metadata", "floor"],
        ),
        ("PUT", "", {"name": 5}, ["name"]),
        ("PATCH", f"/memories/{unit.id}", {"state": "invalidated", "reason": 5}, ["reason"]),
        ("POST", "/directives", {"name": "x", "content": 5}, ["content"]),
    ):
        status, answer = run(send(base_url, f"{bank}{path}", method=method, json=body, headers=headers))
        assert (status, answer["detail"][0]["loc"]) == (422, ["body", *where]), (path, body, answer)


@pytest.mark.parametrize("include", ["x", 3, [], {"facts": 3}, {"tool_calls": "x"}])
def test_a_wrong_include_is_refused(
    client: Hindsight, run: Run, base_url: str, memory: Memory, include: object
) -> None:
    headers = client.memory.api_client.default_headers
    body = {"query": "Bob boat", "include": include}
    assert run(send(base_url, "/v1/default/banks/support/reflect", json=body, headers=headers))[0] == 422


def test_a_zero_byte_anywhere_is_no_fault_of_ours(client: Hindsight, run: Run, base_url: str, memory: Memory) -> None:
    headers = client.memory.api_client.default_headers
    bank = "/v1/default/banks/support"
    for method, path in (
        ("GET", "/v1/default/banks/%00"),
        ("GET", f"/v1/default/banks/%00/operations/{memory.bank.id}"),
        ("GET", f"{bank}/documents/%00"),
        ("GET", f"{bank}/memories/list?type=%00"),
        ("DELETE", f"{bank}/memories?type=%00"),
        ("GET", f"{bank}/tags?q=%00"),
        ("PUT", "/v1/default/banks/%00"),
    ):
        status, _ = run(send(base_url, path, method=method, json={}, headers=headers))
        assert status < 500, path


def test_half_a_character_is_no_fault_of_ours(client: Hindsight, run: Run, base_url: str, memory: Memory) -> None:
    headers = client.memory.api_client.default_headers
    bank, unit = "/v1/default/banks/support", memory.unit("Bob has a boat")
    half = "\ud800"
    for method, path, body, expected in (
        ("PUT", bank, {half: 1}, 200),
        ("POST", f"{bank}/import", {"version": "1", "bank": {half: 1}}, 200),
        ("PUT", bank, {"name": half}, 422),
        ("PATCH", f"{bank}/config", {"updates": {half: 1}}, 200),
        ("POST", f"{bank}/memories/recall", {"query": "Bob", "types": [half]}, 422),
        ("POST", f"{bank}/memories", {"items": [{"content": half, half: 1}]}, 422),
        ("PATCH", f"{bank}/memories/{unit.id}", {"text": "Bob has a ship", "reason": half}, 422),
        ("PATCH", f"{bank}/memories/{unit.id}", {"text": "Bob has a ship", "reason": "x" * 501}, 422),
    ):
        status, _ = run(send(base_url, path, method=method, json=body, headers=headers))
        assert status == expected, (method, path, body)


def test_a_busy_service_is_asked_again_when_it_says(
    client: Hindsight, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.unit("Bob has a boat")
    refusals = [OperationalError("too many connections")] * 2

    def be_busy(*given: Any) -> Any:
        if refusals:
            raise refusals.pop()
        return use_case.recall(*given)

    monkeypatch.setattr(recall, "recall", be_busy)
    with pytest.raises(ApiException, match="The service is busy") as refused:
        client.recall("support", "Bob boat")
    assert refused.value.status == 503
    assert refused.value.headers is not None
    assert refused.value.headers["Retry-After"] == "1"
    monkeypatch.setattr(client, "_max_attempts", 2)
    assert [result.text for result in client.recall("support", "Bob boat").results] == ["Bob has a boat"]
    assert refusals == []


def test_unserved_routes_name_the_alternative(client: Hindsight, run: Run, base_url: str) -> None:
    calls = {
        "A refresh can't be tried": client.mental_models.dry_run_refresh_mental_model("support", "homes"),
        "GET /health/ready": client.banks.test_bank_llm("support"),
    }
    for beginning, call in calls.items():
        with pytest.raises(ApiException, match=rf'{{"detail":"{beginning}') as refused:
            run(call)
        assert refused.value.status == 501


UNKNOWN = ("", "/", "/nowhere", "/banks/support/nowhere", "/banks/a//b")


def test_an_unknown_path_gets_the_peers_error_shape(base_url: str, run: Run, committed_db: None) -> None:
    for path in UNKNOWN:
        answer = run(send(base_url, f"/v1/default{path}", method="GET"))
        of_bank = " An id of a bank has no slashes." if path.startswith("/banks") else ""
        assert answer == (404, {"detail": f"There is nothing at this address.{of_bank}"}), path
    for path in ("/chunks/zz", "/banks/support/memories/zz", "/banks/support/opinions/zz/revisions"):
        status, answer = run(send(base_url, f"/v1/default{path}", method="GET"))
        assert (status, list(answer), answer["detail"][:17]) == (404, ["detail"], "'zz' is not an id"), path
