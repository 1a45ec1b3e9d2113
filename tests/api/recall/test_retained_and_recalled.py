"""From a conversation to its memory and back, with the real engine, models and threads."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memoryplatform.operations import recall as use_case
from providers import registry
from providers.once import Once
from retrieval import threads
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant

TALK: dict[str, Any] = {
    "timestamp": "2023-05-08T13:56:00Z",
    "messages": [
        {"role": "user", "name": "Caroline", "content": "I went to a support group in Boston yesterday."},
        {"role": "user", "name": "Melanie", "content": "I painted a sunrise over the lake last year."},
    ],
}


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


@pytest.fixture(autouse=True)
def real_models(small_models: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_case, "get_embedder", registry.get_embedder)
    monkeypatch.setattr(use_case, "get_reranker", registry.get_reranker)
    monkeypatch.setattr(threads, "EXECUTOR", Once(lambda: ThreadPoolExecutor(4)))


def test_a_conversation_is_recalled_marked_and_logged(tenant: Tenant, log: RecallLog) -> None:
    call = Caller(make_key_with_text(tenant)[1])
    assert call("POST", "/v1/banks/friends/memories", {"items": [TALK]}).status_code == 200
    body: dict[str, Any] = {
        "query": "Who painted a sunrise?",
        "query_timestamp": "2023-05-09T10:00:00Z",
        "budget": "high",
    }
    body["include"] = {"scores": {}, "details": {}}
    answer = call("POST", "/v1/banks/friends/memories/recall", body).json()
    first = answer["results"][0]
    assert first["text"] == "Melanie: I painted a sunrise over the lake last year."
    assert (first["speaker"], first["role"]) == ("Melanie", "user")
    assert answer["results"][0]["scores"]["reranker"] is not None
    assert answer["left_out"] == []
    log.write()
    mark = {"recall_id": answer["recall_id"], "memory_id": answer["results"][0]["id"], "useful": True}
    assert call("POST", "/v1/banks/friends/feedback", mark).status_code == 201
    (logged,) = call("GET", "/v1/banks/friends/recalls").json()["items"]
    assert (logged["recall_id"], logged["result_count"]) == (answer["recall_id"], len(answer["results"]))
