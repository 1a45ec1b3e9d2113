"""Retaining over HTTP, with the real built-in engine and the real embedder."""

from typing import Any

import pytest

from banks.models import Chunk, Document, Episode, MemoryUnit, Message
from memoryplatform.operations.running.submit import ACTORS
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank, make_key_with_text, make_tenant

TALK: dict[str, Any] = {
    "thread": "t1",
    "timestamp": "2023-05-08T13:56:00Z",
    "messages": [
        {"role": "user", "name": "Caroline", "content": "I went to a support group in Boston yesterday."},
        {"role": "user", "name": "Melanie", "content": "That is great! I painted a sunrise over the lake last year."},
    ],
}


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def retain(call: Caller, *items: dict[str, Any], **fields: Any) -> Any:
    headers = {"Idempotency_Key": fields.pop("key")} if "key" in fields else {}
    return call("POST", "/v1/banks/support/memories", {"items": list(items), **fields}, **headers)


def texts(call: Caller) -> list[str]:
    return [unit["text"] for unit in call("GET", "/v1/banks/support/memories").json()["items"]]


def test_a_conversation_becomes_memories_that_lead_back_to_its_messages(call: Caller, tenant: Tenant) -> None:
    response = retain(call, TALK)
    assert response.status_code == 200
    answer = response.json()
    assert (answer["success"], answer["async"], answer["status"], answer["items_count"]) == (
        True,
        False,
        "completed",
        1,
    )
    assert len(answer["unit_ids"]) == 2
    shown = [call("GET", f"/v1/banks/support/memories/{unit_id}").json() for unit_id in answer["unit_ids"]]
    boston = next(unit for unit in shown if "Boston" in unit["text"])
    assert boston["occurred_start"].startswith("2023-05-07")
    with tenant_transaction(tenant.id):
        message = Message.objects.for_tenant(tenant.id).get(id=boston["sources"][0]["message_id"])
    quoted = message.content[boston["sources"][0]["start"] : boston["sources"][0]["end"]]
    assert "support group in Boston" in quoted


def test_the_same_twice_adds_no_memory(call: Caller) -> None:
    first = retain(call, TALK).json()
    again = retain(call, TALK).json()
    assert first["unit_ids"]
    assert again["unit_ids"] == []


def test_an_operation_id_is_answered_where_the_caller_does_not_want_to_wait(call: Caller, tenant: Tenant) -> None:
    answer = retain(call, TALK, **{"async": True}).json()
    assert (answer["async"], answer["status"], answer["unit_ids"]) == (True, "pending", [])
    with tenant_transaction(tenant.id):
        assert Message.objects.for_tenant(tenant.id).count() == 2  # accepted is durable
        assert MemoryUnit.objects.for_tenant(tenant.id).count() == 0


def test_a_call_that_waits_does_its_work_itself(call: Caller) -> None:
    """If a worker were woken, it might claim the operation first, and the caller would get only an operation id."""
    broker = ACTORS["ingest"].broker
    broker.flush_all()
    retain(call, TALK)
    assert broker.client.llen("memoryplatform:ingest") == 0  # type: ignore[attr-defined]  # the Redis broker's
    retain(call, TALK, **{"async": True})
    assert broker.client.llen("memoryplatform:ingest") == 1  # type: ignore[attr-defined]


def test_the_same_key_retains_once(call: Caller, tenant: Tenant) -> None:
    first, again = retain(call, TALK, key="k1"), retain(call, TALK, key="k1")
    assert again.json() == first.json()
    with tenant_transaction(tenant.id):
        assert Message.objects.for_tenant(tenant.id).count() == 2


def test_a_continued_topic_joins_its_episode(call: Caller, tenant: Tenant) -> None:
    retain(call, TALK)
    more = {"role": "user", "name": "Caroline", "content": "The support group in Boston meets again on Sunday."}
    retain(call, TALK | {"timestamp": "2023-05-08T14:01:00Z", "messages": [more]})
    retain(call, TALK | {"timestamp": "2023-05-08T19:00:00Z", "messages": [more | {"content": "Time for dinner now."}]})
    with tenant_transaction(tenant.id):
        episodes = list(Episode.objects.for_tenant(tenant.id).order_by("started_at"))
    assert sum(episode.message_count for episode in episodes) == 4
    assert episodes[-1].previous_id == episodes[-2].id
    assert all(episode.narrative for episode in episodes)


def test_a_document_that_is_retained_again_replaces_its_former_text(call: Caller, tenant: Tenant) -> None:
    document = {"document_id": "team/list.md", "content": "Alice works at Google in Zurich."}
    retain(call, document)
    retain(call, document | {"content": "Alice works at Mozilla in Berlin."})
    found = texts(call)
    assert any("Mozilla" in text for text in found)
    assert not any("Google" in text for text in found)
    with tenant_transaction(tenant.id):
        assert Document.objects.for_tenant(tenant.id).get().version == 2


def test_appended_text_keeps_the_former_text(call: Caller) -> None:
    document = {"document_id": "log", "content": "Alice works at Google in Zurich."}
    retain(call, document)
    retain(call, document | {"content": "Bob moved to Lisbon.", "update_mode": "append"})
    found = " ".join(texts(call))
    assert "Zurich" in found
    assert "Lisbon" in found


def test_a_bad_item_takes_no_other_with_it(call: Caller) -> None:
    answer = retain(call, {"content": ""}, TALK, {"content": "x", "timestamp": "yesterday"}, {"colour": "red"}).json()
    assert answer["items_count"] == 1
    assert [(fault["index"], fault["faults"][0]["field"]) for fault in answer["item_errors"]] == [
        (0, "content"),
        (2, "timestamp"),
        (3, "colour"),
    ]
    assert len(answer["unit_ids"]) == 2


BAD_MESSAGES: dict[str, dict[str, Any]] = {
    "blank": {"role": "user", "content": " \n"},
    "only null bytes": {"role": "user", "content": "\x00\x00"},
    "a lone surrogate": {"role": "user", "content": "\ud800"},
    "an unknown role": {"role": "king", "content": "x"},
    "no message": {"colour": "red"},
}


@pytest.mark.parametrize("message", BAD_MESSAGES.values(), ids=BAD_MESSAGES.keys())
def test_a_bad_message_is_reported_and_the_others_are_stored(
    call: Caller, tenant: Tenant, message: dict[str, Any]
) -> None:
    first, second = TALK["messages"]
    answer = retain(call, TALK | {"messages": [first, message, second], "infer": False}).json()
    (fault,) = answer["item_errors"]
    assert (answer["items_count"], fault["index"], fault["accepted"]) == (1, 0, True)
    assert fault["faults"][0]["field"].startswith("messages.1.")
    with tenant_transaction(tenant.id):
        said = list(Message.objects.for_tenant(tenant.id).order_by("id").values_list("content", flat=True))
    assert said == [first["content"], second["content"]]


def test_a_message_may_have_a_thread_of_its_own(call: Caller, tenant: Tenant) -> None:
    first, second = TALK["messages"]
    retain(call, TALK | {"messages": [first | {"thread": "aside"}, second], "infer": False})
    with tenant_transaction(tenant.id):
        threads = Message.objects.for_tenant(tenant.id).order_by("id").values_list("thread", flat=True)
        assert list(threads) == ["aside", "t1"]


BAD_ITEMS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "both": {"content": "x", "messages": TALK["messages"]},
    "an empty conversation": {"messages": []},
    "year one": {"content": "x", "timestamp": "0001-01-01T00:00:00Z"},
    "year 9999": {"content": "x", "timestamp": "9999-12-31T23:59:59Z"},
    "a null byte": {"content": "a\x00b"},
    "a lone surrogate": {"content": "a\ud800b"},
    "an unknown role": {"messages": [{"role": "king", "content": "x"}]},
    "only blank messages": {"messages": [{"role": "user", "content": " "}, {"role": "user", "content": ""}]},
    "no list of messages": {"messages": {"role": "user", "content": "x"}},
    "10,000 tags": {"content": "x", "tags": ["t"] * 10_000},
}


@pytest.mark.parametrize("item", BAD_ITEMS.values(), ids=BAD_ITEMS.keys())
def test_an_item_that_can_not_be_kept_is_refused_with_its_field(call: Caller, item: dict[str, Any]) -> None:
    response = retain(call, item)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"].startswith("items.0")


def test_odd_text_is_stored_faithfully(call: Caller, tenant: Tenant) -> None:
    odd = {"emoji": "🎉" * 5_000, "right to left": "שלום עולם، مرحبا", "slashes": "a/b"}
    for name, text in odd.items():
        assert retain(call, {"content": text, "document_id": f"odd/{name}"}).status_code == 200
    with tenant_transaction(tenant.id):
        stored = dict(Document.objects.for_tenant(tenant.id).values_list("document_id", "text"))
    assert stored == {f"odd/{name}": text for name, text in odd.items()}


def test_a_key_that_is_limited_to_banks_makes_no_others(tenant: Tenant, make_caller: MakeCaller) -> None:
    assert retain(make_caller(tenant, banks=["sales"]), TALK).status_code == 404


def test_memories_are_listed_by_type_and_page(call: Caller) -> None:
    retain(call, TALK)
    page = call("GET", "/v1/banks/support/memories?limit=1&type=world").json()
    assert len(page["items"]) == 1
    rest = call("GET", f"/v1/banks/support/memories?limit=1&type=world&cursor={page['next_cursor']}").json()
    assert rest["items"][0]["id"] != page["items"][0]["id"]
    assert call("GET", "/v1/banks/support/memories?type=opinion").json()["items"] == []


def test_a_memory_of_another_bank_is_not_found(call: Caller, tenant: Tenant) -> None:
    unit_id = retain(call, TALK).json()["unit_ids"][0]
    make_bank(tenant, bank_id="other")
    response = call("GET", f"/v1/banks/other/memories/{unit_id}")
    assert (response.status_code, response.json()["code"]) == (404, "memory_not_found")


def test_nothing_is_inferred_where_the_caller_does_not_want_it(call: Caller, tenant: Tenant) -> None:
    for item in (TALK | {"infer": False}, {"content": "Alice works at Google.", "infer": False}):
        answer = retain(call, item).json()
        assert (answer["status"], answer["unit_ids"]) == ("completed", [])
    with tenant_transaction(tenant.id):
        chunks = list(Chunk.objects.for_tenant(tenant.id))
        assert len(chunks) == 2
        assert all(chunk.embedding is not None for chunk in chunks)
        assert Message.objects.for_tenant(tenant.id).filter(extracted_at=None).count() == 2


def test_a_verbatim_bank_keeps_each_exchange_as_it_was_said(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "extraction_mode": "verbatim"})
    retain(call, TALK)
    assert any("I went to a support group in Boston yesterday." in text for text in texts(call))


def test_a_calibrated_bank_stores_only_unknown_facts(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "extraction_mode": "calibrated"})
    assert len(retain(call, TALK).json()["unit_ids"]) == 2
    again = {"role": "user", "name": "Caroline", "content": "I bought a red bicycle in Paris."}
    more = TALK | {"timestamp": "2023-05-08T15:00:00Z", "messages": [*TALK["messages"], again]}
    assert len(retain(call, more).json()["unit_ids"]) == 1


def test_messages_and_entities_can_be_listed(call: Caller) -> None:
    retain(call, TALK)
    retain(call, {"document_id": "team", "content": "Alice lives in Zurich.", "tags": ["team"]})

    def listed(what: str, query: str = "") -> list[dict[str, Any]]:
        return list(call("GET", f"/v1/banks/support/{what}{query}").json()["items"])

    episode = listed("episodes")[0]
    assert (episode["thread"], episode["message_count"]) == ("t1", 2)
    messages = listed("messages", f"?episode_id={episode['id']}")
    assert [message["name"] for message in messages] == ["Melanie", "Caroline"]
    assert listed("messages", "?thread=other") == []
    assert [(row["id"], row["version"], row["tags"]) for row in listed("documents")] == [("team", 1, ["team"])]
    assert {"Caroline", "Melanie"} <= {row["canonical_name"] for row in listed("entities", "?kind=PERSON")}
    assert listed("relationships", "?relation=owns") == []


def test_a_relationship_shows_its_successor(call: Caller) -> None:
    for year, place in ((2020, "Porto"), (2022, "Lisbon")):
        message = {"role": "user", "name": "Caroline", "content": f"I live in {place}."}
        retain(call, {"thread": "t", "timestamp": f"{year}-01-01T00:00:00Z", "messages": [message]})
    newest, former = call("GET", "/v1/banks/support/relationships?relation=lives_in").json()["items"]
    assert (newest["expired_at"], former["superseded_by"], former["close_reason"]) == (None, newest["id"], "update")


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (TALK | {"document_id": "d1"}, "document_id"),
        (TALK | {"update_mode": "append"}, "update_mode"),
        ({"content": "Ana sails.", "thread": "t1"}, "thread"),
        ({"facts": [{"text": "Ana sails."}], "thread": "t1"}, "thread"),
    ],
)
def test_a_place_that_an_item_can_not_have_is_refused(call: Caller, item: dict[str, Any], field: str) -> None:
    refused = call("POST", "/v1/banks/support/memories", {"items": [item]})
    assert refused.status_code == 422
    assert f"{field}: Needs" in refused.json()["detail"]
