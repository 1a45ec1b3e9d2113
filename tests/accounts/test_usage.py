"""Usage: the ledger has what the providers reported, its days can be added up again, and reports show it."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import ProgrammingError, connections, transaction
from django.test import override_settings
from django.utils import timezone
from pytest_django.fixtures import Settings

from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.settings.environment import Environment, ModelPrice
from providers import registry
from providers.embedding.onnx import OnnxEmbedder
from providers.reranking.onnx import OnnxReranker
from providers.reranking.protocol import MEMORY_RERANKER
from providers.usage import Usage
from retrieval.recall_log import RECALL_LOG
from tenants.memberships import found_tenant
from tenants.models import Tenant, UsageDay, UsageRecord, User
from tenants.transactions import tenant_transaction
from tenants.usage import UsageSum, list_usage, record_usage, sum_usage_days
from tests.accounts.conftest import sign_in
from tests.api.conftest import Caller
from tests.factories import make_key_with_text
from tests.llm_server import ScriptedLLM
from tests.llm_server.observing import OBSERVER, observe_each_fact
from tests.llm_server.script import Received, Reply
from tests.llm_server.wire import build_usage, embed

LLM = Usage.of_call("llm", "big", 1_000, 200)
EMBEDDING = Usage.of_call("embedding", "small", 300)
RERANKING = Usage.of_call("reranking", "judge", 70)
FACT = {
    "what": "Ana Reis sold her boat.",
    "who": "Ana Reis",
    "network": "world",
    "kind": "conversation",
    "entities": [{"name": "Ana Reis", "kind": "PERSON"}],
    "turns": [1],
}


class Reported:
    """The tokens that the scripted providers reported, by service and direction."""

    def __init__(self, server: ScriptedLLM) -> None:
        self.server = server
        self.tokens: Counter[str] = Counter()
        server.chat.otherwise = self.chat
        server.embeddings.otherwise = self.embed
        server.rerank.otherwise = self.rerank

    def chat(self, received: Received) -> Reply | str:
        """Answers questions that nothing is prepared for with a sentence, which is no JSON: a malformed answer."""
        answer: Reply | str = "She sold her boat."
        if OBSERVER in received.prompt:
            answer = observe_each_fact(received)
        elif "response_format" in received.body and "boat" in received.prompt and "nonsense" not in received.prompt:
            answer = json.dumps({"facts": [FACT]})
        counted = build_usage(received, str(answer))
        self.tokens["llm_input_tokens"] += counted["prompt_tokens"]
        self.tokens["llm_output_tokens"] += counted["completion_tokens"]
        return answer

    def embed(self, received: Received) -> Reply:
        reply = embed(received)
        self.tokens["embedding_tokens"] += reply.payload["usage"]["prompt_tokens"]
        return reply

    def rerank(self, received: Received) -> Reply:
        places = range(len(received.body["documents"]))
        self.tokens["reranking_tokens"] += 11
        return Reply(
            payload={
                "results": [{"index": place, "relevance_score": 0.5} for place in places],
                "usage": {"total_tokens": 11},
            }
        )


@pytest.fixture
def reported(acme: Tenant) -> Iterator[Reported]:
    """Every provider is the scripted server."""
    with ScriptedLLM() as server:
        chosen: dict[str, Any] = {
            "LLM_BASE_URL": server.url,
            "LLM_MODEL": "big",
            "LLM_MAX_RETRIES": 0,
            "EMBEDDING_PROVIDER": "openai",
            "EMBEDDING_BASE_URL": server.url,
            "EMBEDDING_MODEL": "small",
            "RERANKING_PROVIDER": "http",
            "RERANKING_BASE_URL": server.url,
            "RERANKING_MODEL": "judge",
            "RERANKING_LEAST_SECONDS": 5.0,
        }
        with override_settings(**chosen):
            registry.reset()
            registry.get_embedder().dimension  # noqa: B018  # asks the endpoint once, for no tenant
            yield Reported(server)
        registry.reset()


@pytest.fixture
def call(acme: Tenant) -> Caller:
    return Caller(make_key_with_text(acme, scopes=["admin"])[1])


def perform_all(tenant: Tenant) -> None:
    for _ in range(30):
        with tenant_transaction(tenant.id):
            due = Operation.objects.for_tenant(tenant.id).filter(status="pending").exclude(kind="tend_bank")
            ids = list(due.filter(next_attempt_at=None).values_list("id", flat=True))
        for one in ids:
            perform(tenant.id, one)
        if not ids:
            return


def sum_ledger(tenant: Tenant) -> UsageSum:
    today = timezone.now().date()
    with tenant_transaction(tenant.id):
        return sum(list_usage(tenant.id, since=today - timedelta(days=1), until=today), UsageSum())


def check_ledger(tenant: Tenant, reported: Reported) -> None:
    RECALL_LOG.write()
    total = sum_ledger(tenant)
    assert {name: getattr(total, name) for name in reported.tokens} == dict(reported.tokens)


def note(tenant: Tenant, usage: Usage, *, days_ago: int = 0, **fields: Any) -> None:
    """A row of the ledger, `days_ago`. The service can't change the ledger, so the owner of the table moves the row."""
    kind = fields.pop("kind", UsageRecord.Kind.RETAIN)
    with tenant_transaction(tenant.id):
        record_usage(tenant.id, kind, usage, **fields)
        row = UsageRecord.objects.for_tenant(tenant.id).latest("id")
    if days_ago:
        with tenant_transaction(tenant.id, using="owner"), connections["owner"].cursor() as cursor:
            moved = timezone.now() - timedelta(days=days_ago)
            cursor.execute("UPDATE tenants_usagerecord SET at = %s WHERE id = %s", [moved, row.id])


def test_the_ledger_has_what_the_providers_reported(acme: Tenant, call: Caller, reported: Reported) -> None:
    made = call("POST", "/v1/banks/support/memories", {"items": [{"content": "Ana Reis sold her boat."}]}).json()
    check_ledger(acme, reported)
    perform_all(acme)
    check_ledger(acme, reported)
    call("POST", "/v1/banks/support/observations/refresh", {})
    perform_all(acme)
    check_ledger(acme, reported)
    call("POST", "/v1/banks/support/memories/recall", {"query": "Who sold a boat?"})
    check_ledger(acme, reported)
    call("POST", "/v1/banks/support/reflect", {"query": "Who sold a boat?"})
    check_ledger(acme, reported)
    call("PATCH", f"/v1/banks/support/memories/{made['unit_ids'][0]}", {"text": "Ana Reis sold her old boat."})
    perform_all(acme)
    check_ledger(acme, reported)
    assert all(reported.tokens.values())


def test_the_embedding_of_messages_for_their_episodes_is_in_the_ledger(
    acme: Tenant, call: Caller, reported: Reported
) -> None:
    """Each message is embedded to find its episode, before and beside its facts and chunks."""
    texts = ["Ana Reis sold her boat.", "The boat was built in Porto."]
    messages = [{"role": "user", "content": text} for text in texts]
    call("POST", "/v1/banks/support/memories", {"items": [{"messages": messages}]})
    perform_all(acme)
    check_ledger(acme, reported)
    assert reported.tokens["embedding_tokens"]


def test_unusable_answers_are_in_the_ledger(acme: Tenant, call: Caller, reported: Reported) -> None:
    body = {"items": [{"content": "This is nonsense about a boat."}, {"content": "Ana Reis sold her boat."}]}
    call("POST", "/v1/banks/support/memories", body)
    check_ledger(acme, reported)
    assert reported.tokens["llm_output_tokens"]


def test_failed_attempts_are_in_the_ledger(acme: Tenant, call: Caller, reported: Reported) -> None:
    """The first item is stored, and the second one fails. The next attempt takes the answers that are paid for."""
    bodies = [{"content": "Ana Reis sold her boat."}, {"content": "Bob Lind bought the boat."}]
    embed_usually = reported.server.embeddings.otherwise
    reported.server.embeddings.otherwise = lambda received: (
        Reply(status=500, payload={}) if "Bob" in str(received.body) else embed_usually(received)
    )
    made = call("POST", "/v1/banks/support/memories", {"items": bodies}).json()
    assert made["status"] == "pending"
    check_ledger(acme, reported)
    assert reported.tokens["llm_output_tokens"]
    reported.server.embeddings.otherwise = embed_usually
    with tenant_transaction(acme.id):
        Operation.objects.for_tenant(acme.id).filter(id=made["operation_id"]).update(next_attempt_at=None)
    perform(acme.id, UUID(made["operation_id"]))
    check_ledger(acme, reported)
    assert call("GET", f"/v1/operations/{made['operation_id']}").json()["status"] == "completed"


def test_usage_belongs_to_its_key_bank_and_kind(acme: Tenant, call: Caller, reported: Reported) -> None:
    call("POST", "/v1/banks/support/memories", {"items": [{"content": "Ana Reis sold her boat."}]})
    perform_all(acme)
    call("POST", "/v1/banks/support/memories/recall", {"query": "Who sold a boat?"})
    RECALL_LOG.write()
    asked = "/v1/account/usage?group_by=key&group_by=bank&group_by=kind"
    rows = call("GET", asked).json()["rows"]
    prefix = call.key.split("_")[1]
    assert {(row["key"], row["bank"], row["kind"]) for row in rows} == {
        (prefix, "support", "retain"),
        (prefix, "support", "consolidate"),
        (prefix, "support", "recall"),
        ("", "support", "consolidate"),  # observations are refreshed by the service itself
    }
    retained = next(row for row in rows if row["kind"] == "retain")
    assert (retained["requests"], retained["memories"]) == (1, 1)
    assert retained["stored_bytes"] == len("Ana Reis sold her boat.")


def test_cost_follows_the_prices_of_the_models(acme: Tenant, call: Caller, settings: Settings) -> None:
    settings.MODEL_PRICES = {"big": ModelPrice(input="2.5", output="10"), "small": ModelPrice(input="0.02")}
    note(acme, LLM + EMBEDDING + RERANKING, bank_id="support")
    report = call("GET", "/v1/account/usage").json()
    # 1,000 and 200 tokens of the large model, 300 of the small one
    assert report["total"]["cost"] == "0.004506"
    assert (report["currency"], report["unpriced_models"]) == ("USD", ["judge"])
    by_model = {row["model"]: row["cost"] for row in call("GET", "/v1/account/usage?group_by=model").json()["rows"]}
    assert by_model == {"": "0", "big": "0.0045", "judge": "0", "small": "0.000006"}


def test_the_built_in_models_have_a_price_by_their_names_in_the_settings(
    acme: Tenant, call: Caller, settings: Settings
) -> None:
    embedding = Environment.model_fields["embedding_model"].default
    settings.MODEL_PRICES = {embedding: ModelPrice(input="1000000"), MEMORY_RERANKER: ModelPrice(input="1000000000000")}
    embedded = OnnxEmbedder(threads=1).embed_query("tea").usage
    reranked = OnnxReranker(threads=1).rerank("tea", ["Alice likes tea.", "Bob likes coffee."]).usage
    note(acme, embedded + reranked)
    report = call("GET", "/v1/account/usage").json()
    assert (report["total"]["embedding_tokens"], report["total"]["reranking_tokens"]) == (
        embedded.input_tokens,
        reranked.input_tokens,
    )
    assert embedded.input_tokens > 0 < reranked.input_tokens
    assert int(report["total"]["cost"]) == embedded.input_tokens + reranked.input_tokens * 1_000_000
    assert report["unpriced_models"] == []


def test_a_report_is_the_same_before_and_after_the_days_are_added_up(acme: Tenant, call: Caller) -> None:
    note(acme, LLM, days_ago=40, bank_id="old")
    note(acme, LLM + EMBEDDING, days_ago=3, bank_id="support", memories=2, stored_bytes=90)
    note(acme, EMBEDDING, days_ago=3, bank_id="support", kind=UsageRecord.Kind.RECALL, memories=9)
    note(acme, RERANKING, days_ago=1, kind=UsageRecord.Kind.RECALL)
    note(acme, LLM)
    today = timezone.now().date()
    asked = f"/v1/account/usage?since={today - timedelta(days=60)}" + "".join(
        f"&group_by={name}" for name in ("day", "bank", "kind", "key", "model")
    )
    before = call("GET", asked).json()
    assert before["total"] | {"cost": "0"} == {
        "requests": 5,
        "calls": 6,
        "llm_input_tokens": 3_000,
        "llm_output_tokens": 600,
        "own_llm_tokens": 0,
        "embedding_tokens": 600,
        "reranking_tokens": 70,
        "memories": 2,
        "stored_bytes": 90,
        "cost": "0",
    }
    call_command("sum_usage")
    assert call("GET", asked).json() == before
    with tenant_transaction(acme.id):
        summed = UsageDay.objects.for_tenant(acme.id).count()
        sum_usage_days(acme.id)
        assert UsageDay.objects.for_tenant(acme.id).count() == summed > 4
        UsageDay.objects.for_tenant(acme.id).filter(day__gte=today - timedelta(days=10)).update(requests=99)
    call_command("sum_usage", since=today - timedelta(days=10))
    assert call("GET", asked).json() == before


def test_today_is_never_added_up(acme: Tenant) -> None:
    note(acme, LLM)
    with tenant_transaction(acme.id):
        sum_usage_days(acme.id)
        assert not UsageDay.objects.for_tenant(acme.id).exists()


def test_the_ledger_can_not_be_rewritten(acme: Tenant) -> None:
    note(acme, LLM)
    with tenant_transaction(acme.id), pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        UsageRecord.objects.for_tenant(acme.id).update(input_tokens=0)


def test_an_attempt_is_recorded_once(acme: Tenant) -> None:
    operation_id = UUID(int=7)
    for attempt in (1, 1, 2):
        note(acme, LLM, operation_id=operation_id, attempt=attempt)
    total = sum_ledger(acme)
    assert (total.requests, total.llm_input_tokens) == (1, 2_000)


@pytest.mark.parametrize("asked", [{"headers": {"Accept": "text/csv"}}, {"query": "&format=csv"}])
def test_usage_as_csv(acme: Tenant, call: Caller, asked: dict[str, Any]) -> None:
    note(acme, LLM, bank_id="=HYPERLINK(1)")
    answer = call("GET", f"/v1/account/usage?group_by=bank{asked.get('query', '')}", **asked.get("headers", {}))
    assert answer["Content-Type"].startswith("text/csv")
    assert "attachment" in answer["Content-Disposition"]
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["bank"], row["llm_input_tokens"], row["currency"]) == ("'=HYPERLINK(1)", "1000", "USD")


@pytest.mark.parametrize(
    "query",
    ["since=2026-05-02&until=2026-05-01", "since=2020-01-01", "group_by=person", "format=xml", "since=soon", "day=1"],
)
def test_an_invalid_request_is_refused(call: Caller, query: str) -> None:
    assert call("GET", f"/v1/account/usage?{query}").status_code == 422


def test_stored_facts_and_bytes_are_shown_by_day(acme: Tenant, call: Caller) -> None:
    fact = {"facts": [{"text": "Alice likes tea.", "type": "world"}]}
    (made,) = call("POST", "/v1/banks/support/memories", {"items": [fact]}).json()["unit_ids"]
    (today,) = call("GET", "/v1/account/usage").json()["storage"]
    assert (today["day"], today["memories"]) == (str(timezone.now().date()), 1)
    call("DELETE", f"/v1/banks/support/memories/{made}")
    assert call("GET", "/v1/account/usage").json()["storage"][0]["memories"] == 0


def test_a_viewer_sees_the_usage_and_a_limited_key_does_not(acme: Tenant, owner: User) -> None:
    assert sign_in(owner, acme).get("/v1/account/usage").status_code == 200
    limited = Caller(make_key_with_text(acme, banks=["support"])[1])
    assert limited("GET", "/v1/account/usage").status_code == 403


def test_the_usage_of_another_tenant_is_not_shown(acme: Tenant, call: Caller, owner: User) -> None:
    other = found_tenant(name="Other", slug="other", owner=owner)
    for days_ago in (0, 3):
        note(other, LLM, days_ago=days_ago, bank_id="secret")
    call_command("sum_usage")
    report = call("GET", "/v1/account/usage?group_by=bank").json()
    assert (report["rows"], report["total"]["llm_input_tokens"]) == ([], 0)
