from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from banks.models import Chunk, ChunkPart, Message, UnitSource
from benchmarks.serial_executor import SerialExecutor
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from providers.once import Once
from retrieval import threads
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.memory_factories import make_row, make_unit


@pytest.fixture(autouse=True)
def serial(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread can't see the rows of a test's transaction."""
    monkeypatch.setattr(threads, "EXECUTOR", Once(SerialExecutor))


LONG_AGO = timezone.now() - timedelta(days=100)
SECRET = "The spare key of Zelda Quartz lies under the blue flowerpot."
OTHER = "Marcus Oldfield plays the violin in Prague."


def say(content: str, **item: Any) -> dict[str, Any]:
    message = {"role": "user", "name": "Ana", "content": content, "timestamp": LONG_AGO.isoformat()}
    return {"messages": [message], "thread": "kitchen"} | item


def write(content: str, **item: Any) -> dict[str, Any]:
    return {"content": content, "timestamp": LONG_AGO.isoformat()} | item


def retain(call: Caller, *items: dict[str, Any]) -> None:
    for item in items:
        response = call("POST", "/v1/banks/support/memories", {"items": [item]})
        assert response.json()["unit_ids"], response.json()


def let_the_rule_delete(call: Caller, tenant: Tenant, tag: str = "secret") -> None:
    rule = {"name": "secrets", "days": 30, "tag": tag, "action": "delete"}
    assert call("POST", "/v1/banks/support/retention-rules", rule).json()["matches"] > 0
    operation_id = call("POST", "/v1/banks/support/tend").json()["operation_id"]
    perform(tenant.id, operation_id)
    with tenant_transaction(tenant.id):
        assert Operation.objects.for_tenant(tenant.id).get(id=operation_id).status == "completed"


def read_all(call: Caller) -> str:
    """Everything that the API shows of the bank, as one text."""
    asked = {"query": "Where is the spare key of Zelda Quartz?", "include": {"chunks": {}}}
    paths = ["messages", "episodes", "memories", "documents", "entities", "observations", "relationships"]
    shown = [call("GET", f"/v1/banks/support/{path}") for path in paths]
    documents = [one["id"] for one in shown[3].json()["items"]]
    shown += [call("GET", f"/v1/banks/support/documents/{one}{end}") for one in documents for end in ("", "/chunks")]
    shown += [call("GET", f"/v1/banks/support/episodes/{one['id']}") for one in shown[1].json()["items"]]
    shown.append(call("POST", "/v1/banks/support/memories/recall", asked))
    assert {response.status_code for response in shown} == {200}
    return "\n".join(response.content.decode() for response in shown)


def test_a_rule_deletes_from_the_archive_of_conversations(call: Caller, alice: Tenant) -> None:
    retain(call, say(SECRET, tags=["secret"]), say(OTHER))
    assert "flowerpot" in read_all(call)

    let_the_rule_delete(call, alice)

    shown = read_all(call)
    assert "flowerpot" not in shown
    assert "violin" in shown


def test_a_rule_removes_words_from_a_passage_that_other_memories_rest_on(call: Caller, alice: Tenant) -> None:
    both = say(SECRET)
    both["messages"].append({**both["messages"][0], "content": OTHER})
    retain(call, both)
    units = call("GET", "/v1/banks/support/memories").json()["items"]
    secret_id = next(unit["id"] for unit in units if "flowerpot" in unit["text"])
    assert call("PATCH", f"/v1/banks/support/memories/{secret_id}", {"tags": ["secret"]}).status_code == 200

    let_the_rule_delete(call, alice)

    assert "flowerpot" not in read_all(call)
    [message] = call("GET", "/v1/banks/support/messages").json()["items"]
    assert message["content"] == OTHER
    with tenant_transaction(alice.id):
        [chunk] = Chunk.objects.for_tenant(alice.id)
        [part] = ChunkPart.objects.for_tenant(alice.id)
    assert chunk.text == f"Ana: {OTHER}"
    assert chunk.text[part.start : part.end] == OTHER
    assert chunk.embedding is not None


def test_a_rule_deletes_the_document_of_deleted_memories(call: Caller, alice: Tenant) -> None:
    retain(call, write(SECRET, tags=["secret"], document_id="keys"), write(OTHER, document_id="music"))

    let_the_rule_delete(call, alice)

    assert "flowerpot" not in read_all(call)
    assert call("GET", "/v1/banks/support/documents/keys").status_code == 404
    assert call("GET", "/v1/banks/support/documents/music").json()["original_text"] == OTHER


def test_a_rule_blanks_the_deleted_part_of_a_document_that_holds_more(call: Caller, alice: Tenant) -> None:
    retain(
        call,
        write(SECRET, tags=["secret"], document_id="notes"),
        write(OTHER, document_id="notes", update_mode="append"),
    )

    let_the_rule_delete(call, alice)

    assert "flowerpot" not in read_all(call)
    text = call("GET", "/v1/banks/support/documents/notes").json()["original_text"]
    assert text == " " * len(SECRET) + "\n" + OTHER
    [chunk] = call("GET", "/v1/banks/support/documents/notes/chunks").json()["items"]
    assert text[chunk["start"] : chunk["end"]] == chunk["chunk_text"] == OTHER


def test_a_source_of_other_memories_stays(call: Caller, alice: Tenant) -> None:
    retain(call, say(f"{SECRET} {OTHER}", tags=["secret"]))
    with tenant_transaction(alice.id):
        source = UnitSource.objects.for_tenant(alice.id).get()
        bank = source.unit.bank
    unit = make_unit(alice, bank=bank, text=OTHER, mentioned_at=LONG_AGO)
    make_row(UnitSource, alice, unit=unit, message_id=source.message_id, start=len(SECRET), end=source.end)

    let_the_rule_delete(call, alice)

    assert call("GET", f"/v1/banks/support/memories/{source.unit_id}").status_code == 404
    [message] = call("GET", "/v1/banks/support/messages").json()["items"]
    assert message["content"] == f"{SECRET} {OTHER}"
    with tenant_transaction(alice.id):
        assert Chunk.objects.for_tenant(alice.id).count() == 1


def test_a_summary_of_deleted_episodes_is_deleted(call: Caller, alice: Tenant) -> None:
    retain(call, say(SECRET, tags=["secret"]), say(OTHER))
    with tenant_transaction(alice.id):
        secret = Message.objects.for_tenant(alice.id).select_related("bank").get(content=SECRET)
    summary = make_unit(alice, bank=secret.bank, network="observation", text=f"In short: {SECRET}")
    make_row(UnitSource, alice, unit=summary, episode_id=secret.episode_id, role="summarises")

    let_the_rule_delete(call, alice)

    assert "flowerpot" not in read_all(call)


def test_a_rule_counts_its_matches_and_can_be_changed_and_deleted(call: Caller, alice: Tenant) -> None:
    bank = make_bank(alice, bank_id="support")
    make_unit(alice, bank=bank, mentioned_at=timezone.now() - timedelta(days=100))

    made = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30})

    assert made.status_code == 201
    rule = made.json()
    assert (rule["action"], rule["matches"], rule["enabled"]) == ("fade", 1, True)
    path = f"/v1/banks/support/retention-rules/{rule['id']}"
    assert call("PATCH", path, {"days": 365}).json()["matches"] == 0
    assert [one["name"] for one in call("GET", "/v1/banks/support/retention-rules").json()["items"]] == ["old"]
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).status_code == 404


def test_a_rule_that_deletes_must_name_something(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    wide = {"name": "all", "days": 1, "action": "delete"}

    refused = call("POST", "/v1/banks/support/retention-rules", wide)
    assert (refused.status_code, refused.json()["code"]) == (422, "retention_rule_too_wide")

    narrow = call("POST", "/v1/banks/support/retention-rules", wide | {"tag": "secret"}).json()
    widened = call("PATCH", f"/v1/banks/support/retention-rules/{narrow['id']}", {"tag": ""})
    assert widened.status_code == 422


def test_two_rules_of_one_name_are_a_conflict(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30})

    response = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 60})

    assert (response.status_code, response.json()["code"]) == (409, "retention_rule_exists")


def test_bad_rules_are_refused(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    for bad in ({"name": "x"}, {"days": 3}, {"name": "x", "days": 0}, {"name": "x", "days": 3, "network": "dreams"}):
        assert call("POST", "/v1/banks/support/retention-rules", bad).status_code == 422


def test_rules_of_another_tenant_are_not_there(call: Caller, charlie: Tenant, make_caller: MakeCaller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    rule = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30}).json()
    stranger = make_caller(charlie)

    for method in ("GET", "PATCH", "DELETE"):
        assert stranger(method, f"/v1/banks/support/retention-rules/{rule['id']}", {}).status_code == 404
    assert stranger("POST", "/v1/banks/support/tend").status_code == 404


def test_the_work_of_a_night_can_be_asked_for(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    response = call("POST", "/v1/banks/support/tend")

    assert response.status_code == 202
    operation = call("GET", f"/v1/operations/{response.json()['operation_id']}").json()
    assert operation["status"] in {"pending", "processing", "completed"}


@pytest.mark.parametrize("scopes", [["read"], ["write"], ["read", "write"], ["admin"]])
def test_a_rule_that_deletes_needs_the_scopes_of_a_deletion(
    alice: Tenant, make_caller: MakeCaller, scopes: list[str]
) -> None:
    make_bank(alice, bank_id="support")
    call = make_caller(alice, scopes=scopes)
    rule = {"name": "secrets", "days": 30, "tag": "secret", "action": "delete"}

    deleting = call("DELETE", "/v1/banks/support/memories").status_code
    ruling = call("POST", "/v1/banks/support/retention-rules", rule).status_code
    tending = call("POST", "/v1/banks/support/tend").status_code

    assert (deleting == 403) == (ruling == 403) == (tending == 403)
    assert (deleting == 403) == (scopes == ["read"])


def test_a_changed_rule_is_shown_only_to_keys_that_may_read(
    call: Caller, alice: Tenant, make_caller: MakeCaller
) -> None:
    make_bank(alice, bank_id="support")
    rule = call("POST", "/v1/banks/support/retention-rules", {"name": "old", "days": 30}).json()
    path = f"/v1/banks/support/retention-rules/{rule['id']}"

    assert make_caller(alice, scopes=["write"])("PATCH", path, {"days": 40}).status_code == 403
    assert call("PATCH", path, {"days": 40}).status_code == 200
