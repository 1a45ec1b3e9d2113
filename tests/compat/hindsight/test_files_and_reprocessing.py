"""Files, changed and reprocessed documents, failed consolidations, LLM requests and the schema of templates."""

import json
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hindsight_client import Hindsight
from hindsight_client_api.models.update_document_request import UpdateDocumentRequest

from banks.models import Document
from memoryplatform.operations import documents
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.llm_log import set_log_days
from memoryplatform.operations.running.perform import perform
from tenants.models import Member, Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import Run
from tests.factories import make_key_with_text, make_llm_request, make_operation
from tests.operations.imports.test_readers import make_docx, make_pdf, make_zip
from tests.retrieval.memory import Memory

LETTER = "Alice moved to Lisbon in May. Bob sails in Kiel."
PAGE = b"""<!DOCTYPE html><html><head><title>Hidden</title><style>p {}</style></head>
<body><h1>Journey</h1><p>Alice &amp; Bob moved to <b>Lisbon</b>.</p><script>alert(1)</script></body></html>"""


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def upload(alice: Tenant, *files: tuple[str, bytes], **request: Any) -> Any:
    body = {"files": [SimpleUploadedFile(name, content) for name, content in files], "request": json.dumps(request)}
    headers = {"Authorization": f"Bearer {make_key_with_text(alice)[1]}"}
    return Client().post("/v1/default/banks/notes/files/retain", body, headers=headers)


def read_texts(alice: Tenant) -> dict[str, str]:
    with tenant_transaction(alice.id):
        return dict(Document.objects.for_tenant(alice.id).values_list("document_id", "text"))


def test_files_are_retained_with_their_fields(client: Hindsight, alice: Tenant) -> None:
    files = (
        ("page.html", PAGE),
        ("menu.pdf", make_pdf("Fennel soup")),
        ("cv.docx", make_docx("<w:p><w:r><w:t>Dana sails.</w:t></w:r></w:p>")),
        ("notes.md", b"# Plan\n\nBob sails in Kiel."),
    )
    about = [{"document_id": "a/page", "tags": ["web"], "context": "a trip"}, {}, {}, {"document_id": "plan"}]
    made = upload(alice, *files, files_metadata=about, document_tags=["all"]).json()
    assert len(made["operation_ids"]) == 4
    for operation_id in made["operation_ids"]:
        perform(alice.id, UUID(operation_id))
    texts = read_texts(alice)
    assert texts["a/page"] == "Journey\nAlice & Bob moved to Lisbon."
    assert texts["plan"] == "# Plan\n\nBob sails in Kiel."
    assert {"Fennel soup", "Dana sails."} <= set(texts.values())
    shown = client.list_memories("notes", tags=["web"], tags_match="any_strict")
    assert {tuple(sorted(one.tags or ())) for one in shown.items} == {("all", "web")}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scan.pdf", make_pdf(""), "no text"),
        ("broken.pdf", b"%PDF-1.4 nothing", "broken"),
        ("bad.pdf", b"Bob sails, and this is a text.", "no PDF"),
        ("report.docx", b"PK\x03\x04rest", "broken"),
        ("table.xlsx", make_zip(**{"xl/workbook.xml": b"<workbook/>"}), "Save it as DOCX"),
        ("empty.txt", b"  ", "empty"),
        ("photo.jpg", b"\xff\xd8\x00\x81", "neither a text"),
    ],
)
def test_a_file_that_can_not_be_read_refuses_the_call(alice: Tenant, name: str, content: bytes, words: str) -> None:
    refused = upload(alice, ("good.txt", b"Bob sails."), (name, content))
    assert refused.status_code == 422
    assert name in refused.json()["detail"]
    assert words in refused.json()["detail"]
    assert read_texts(alice) == {}


def test_a_form_without_files_or_with_other_fields_is_refused(alice: Tenant) -> None:
    assert upload(alice).status_code == 422
    mismatch = upload(alice, ("a.txt", b"Bob sails."), files_metadata=[{}, {}])
    assert mismatch.json()["detail"][0]["loc"] == ["body", "files_metadata"]


def test_the_tags_of_a_document_are_replaced(client: Hindsight, run: Run) -> None:
    client.retain("notes", LETTER, document_id="letters/1", tags=["old"])
    before = {one.id for one in client.list_memories("notes").items}
    changed = run(client.documents.update_document("notes", "letters/1", UpdateDocumentRequest(tags=["new"])))
    assert changed.success
    after = client.list_memories("notes").items
    assert {one.id for one in after} == before
    assert {tuple(one.tags or ()) for one in after} == {("new",)}
    run(client.documents.update_document("notes", "letters/1", UpdateDocumentRequest(tags=[])))
    assert not [one for one in client.list_memories("notes").items if one.tags]


def test_a_document_is_reprocessed(client: Hindsight, run: Run, alice: Tenant) -> None:
    client.retain("notes", LETTER, document_id="letters/1", tags=["old"], context="a letter")
    before = {one.id for one in client.list_memories("notes").items}
    made = run(client.documents.reprocess_document("notes", "letters/1"))
    assert (made.success, made.items_count) == (True, 1)
    perform(alice.id, UUID(made.operation_id))
    after = client.list_memories("notes").items
    assert len(after) == len(before)
    assert before.isdisjoint({one.id for one in after})
    assert {(tuple(one.tags or ()), one.context) for one in after} == {(("old",), "a letter")}


def test_a_reprocessing_that_fails_leaves_the_document(
    client: Hindsight, call: Caller, alice: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.retain("notes", LETTER, document_id="letters/1")

    def fail(*_given: Any, **_more: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(documents, "retain", fail)
    assert call("POST", "/v1/default/banks/notes/documents/letters/1/reprocess").status_code == 500
    assert read_texts(alice) == {"letters/1": LETTER}
    assert client.list_memories("notes").total > 0


def test_a_document_of_several_calls_is_not_changed(client: Hindsight, call: Caller) -> None:
    client.retain("notes", LETTER, document_id="letters/1")
    client.retain("notes", "Bob sold his boat.", document_id="letters/1", update_mode="append")
    for method, path, body in (("PATCH", "", {"tags": ["new"]}), ("POST", "/reprocess", {})):
        refused = call(method, f"/v1/default/banks/notes/documents/letters/1{path}", body)
        assert (refused.status_code, "several calls" in refused.json()["detail"]) == (422, True)


def test_failed_consolidations_are_tried_again(call: Caller, memory: Memory, alice: Tenant) -> None:
    for kind, status in (("consolidate", "failed"), ("refresh_observations", "failed"), ("retain", "failed")):
        make_operation(alice, bank=memory.bank, kind=kind, status=status)
    path = "/v1/default/banks/support/consolidation/recover"
    assert call("POST", path).json() == {"retried_count": 2}
    assert call("POST", path).json() == {"retried_count": 0}


def test_requests_to_models_are_listed(memory: Memory, alice: Tenant) -> None:
    set_log_days(TenantAccess(alice.id, Member.Role.OWNER), 7)
    make_llm_request(alice, bank_key="support", task="extract", outcome="ok", input_tokens=5, output_tokens=2)
    make_llm_request(alice, bank_key="support", task="observe", outcome="LLMTimeout")
    make_llm_request(alice, bank_key="other", task="observe")
    path = "/v1/default/banks/support/llm-requests"
    admin = Caller(make_key_with_text(alice, scopes=["read", "admin"])[1])
    listed = admin("GET", path).json()
    assert (listed["bank_id"], listed["total"]) == ("support", 2)
    assert [(one["operation"], one["status"], one["error"]) for one in listed["items"]] == [
        ("consolidation", "error", "LLMTimeout"),
        ("retain", "success", None),
    ]
    (only,) = admin("GET", f"{path}?operation=retain&status=success").json()["items"]
    assert only["total_tokens"] == 7
    assert Caller(make_key_with_text(alice, scopes=["read"])[1])("GET", path).status_code == 403


def test_requests_to_models_are_counted(memory: Memory, alice: Tenant) -> None:
    set_log_days(TenantAccess(alice.id, Member.Role.OWNER), 7)
    make_llm_request(alice, bank_key="support", task="extract", outcome="ok", input_tokens=5, output_tokens=2)
    make_llm_request(alice, bank_key="support", task="observe", outcome="LLMTimeout", input_tokens=1, output_tokens=0)
    make_llm_request(alice, bank_key="other", task="extract")
    path = "/v1/default/banks/support/llm-requests/stats"
    admin = Caller(make_key_with_text(alice, scopes=["read", "admin"])[1])
    counted = admin("GET", path).json()
    assert (counted["bank_id"], counted["period"], counted["trunc"]) == ("support", "7d", "day")
    (bucket,) = counted["buckets"]
    assert (bucket["statuses"], bucket["total"]) == ({"success": 1, "error": 1}, 2)
    assert bucket["tokens"] == {"input": 6, "output": 2, "cached": 0, "thoughts": None, "total": 8}
    (only,) = admin("GET", f"{path}?operation=retain&period=1d&call_type=llm").json()["buckets"]
    assert only["statuses"] == {"success": 1}
    assert admin("GET", f"{path}?call_type=embedding").json()["buckets"] == []


def test_the_schema_of_templates_names_the_settings(db: None) -> None:
    schema = Client().get("/v1/bank-template-schema").json()
    assert schema["required"] == ["version"]
    assert {"retain_mission", "memory_defense", "entity_labels"} <= set(schema["properties"]["bank"]["properties"])


def read_history(client: Hindsight, run: Run, **page: Any) -> list[tuple[str, int, int]]:
    history = run(client.documents.get_document_history("notes", "letters/1", **page))
    return [(one.kind.value, one.facts_added, one.facts_removed) for one in history.items]


def test_the_history_of_a_document_tells_of_its_changes(client: Hindsight, run: Run, alice: Tenant) -> None:
    client.retain("notes", LETTER, document_id="letters/1", tags=["old"])
    stored = client.list_memories("notes").total
    client.retain("notes", "Dana skis.", document_id="letters/2")
    assert read_history(client, run) == [("retain", stored, 0)]
    client.retain("notes", "Alice moved to Lisbon in May.", document_id="letters/1", tags=["old"])
    replaced = read_history(client, run)
    assert [kind for kind, *_ in replaced] == ["retain", "retain"]
    assert replaced[0][2] > 0
    run(client.documents.update_document("notes", "letters/1", UpdateDocumentRequest(tags=["new"])))
    assert read_history(client, run) == [("retag", 0, 0), *replaced]
    (fact,) = [one for one in client.list_memories("notes").items if "Lisbon" in (one.text or "")]
    made = run(client.documents.reprocess_document("notes", "letters/1"))
    perform(alice.id, UUID(made.operation_id))
    events = read_history(client, run)
    assert [kind for kind, *_ in events] == ["reprocess", "retag", "retain", "retain"]
    assert events[0][1:] == (1, 1)
    client.retain("notes", "Bob sold his boat.", document_id="letters/1", update_mode="append")
    assert read_history(client, run, limit=1, offset=1) == events[:1]
    assert read_history(client, run)[0] == ("append", 1, 0)
    assert fact.id not in [one.id for one in client.list_memories("notes").items]


def test_the_history_names_the_facts_that_were_changed_by_hand(client: Hindsight, call: Caller, run: Run) -> None:
    client.retain("notes", "Alice moved to Lisbon.", document_id="letters/1")
    (fact,) = client.list_memories("notes").items
    path = f"/v1/default/banks/notes/memories/{fact.id}"
    assert call("PATCH", path, {"text": "Alice moved to Porto."}).status_code == 200
    assert call("PATCH", path, {"state": "invalidated"}).status_code == 200
    assert call("PATCH", path, {"state": "valid"}).status_code == 200
    history = run(client.documents.get_document_history("notes", "letters/1"))
    assert [one.kind.value for one in history.items] == ["fact_restored", "fact_invalidated", "fact_edited", "retain"]
    assert {one.fact_id for one in history.items[:3]} == {fact.id}
    assert history.items[3].operation_id is not None


def test_the_history_ends_with_the_document(client: Hindsight, call: Caller, run: Run) -> None:
    client.retain("notes", LETTER, document_id="letters/1")
    run(client.documents.delete_document("notes", "letters/1"))
    assert call("GET", "/v1/default/banks/notes/documents/letters/1/history").status_code == 404
    client.retain("notes", LETTER, document_id="letters/1")
    assert [kind for kind, *_ in read_history(client, run)] == ["retain"]
