"""The pages of the import: upload, preview, start, progress, and that nothing of an upload stays."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from banks.models import Bank, MemoryUnit, Message
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.imports.staging import KEPT_FOR, name_key
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.transfer.export import export_bank
from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, make_person, sign_in
from tests.factories import make_bank
from tests.live_server import use_small_models
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.memory_factories import make_document, make_unit
from tests.operations.imports.test_readers import CHATGPT, MEM0

__all__ = ["llm"]
BANK = "/dashboard/banks/kitchen/"
PAGE = f"{BANK}import/"


@pytest.fixture
def acme(committed_db: None, redis_server: object, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    use_small_models(monkeypatch)
    return found_tenant(name="Acme", slug="acme", owner=make_person("olga@example.com"))


@pytest.fixture
def bank(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="kitchen", name="Kitchen agent")


@pytest.fixture
def client(acme: Tenant) -> Client:
    return sign_in(User.objects.get(email="olga@example.com"), acme)


def send_file(client: Client, name: str, body: bytes) -> Any:
    return client.post(PAGE, {"file": SimpleUploadedFile(name, body), "text": ""})


def stage(client: Client, name: str, data: object) -> str:
    """The address of the preview."""
    answer = send_file(client, name, data if isinstance(data, bytes) else json.dumps(data).encode())
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_conversation_is_previewed_and_imported(client: Client, acme: Tenant, bank: Bank) -> None:
    preview = stage(client, "conversations.json", CHATGPT)
    page = read(client, preview)
    assert "ChatGPT export" in page
    assert "What goes with fennel?" in page
    assert "1 image or file is left out." in page
    with tenant_transaction(acme.id):
        assert not Message.objects.of_bank(bank).exists()
    started = client.post(f"{preview}start/")
    assert started.status_code == 302
    progress = read(client, started["Location"])
    assert 'hx-trigger="every 2s"' in progress
    with tenant_transaction(acme.id):
        operation = Operation.objects.for_tenant(acme.id).get()
        assert Message.objects.of_bank(bank).count() == 2
    perform(acme.id, operation.id)
    done = client.get(started["Location"], headers={"HX-Request": "true"}).content.decode()
    assert "The import is done" in done
    assert "hx-trigger" not in done
    assert "<html" not in done
    assert f"{BANK}conversations/" in done
    assert f"{BANK}documents/" not in done
    assert ">Import</a>" in read(client, "/dashboard/operations/")


def test_a_newer_export_of_a_conversation_adds_what_is_new(client: Client, acme: Tenant, bank: Bank) -> None:
    preview = stage(client, "conversations.json", CHATGPT)
    first = client.post(f"{preview}start/")["Location"]
    with tenant_transaction(acme.id):
        operation = Operation.objects.for_tenant(acme.id).get()
    perform(acme.id, operation.id)
    assert client.post(f"{preview}start/")["Location"] == first  # a click that was repeated
    assert "Dinner</h1>" in read(client, "/dashboard/banks/kitchen/conversations/?thread=chatgpt:c-1")
    same = stage(client, "conversations.json", CHATGPT)
    assert "2 messages are in this bank already" in read(client, same)
    assert client.post(f"{same}start/")["Location"] == same
    assert "Everything in this file is in the bank already." in read(client, same)
    answer = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["And with leeks?"]}}
    newer = [
        {
            **CHATGPT[0],
            "current_node": "e",
            "mapping": {**CHATGPT[0]["mapping"], "e": {"message": answer, "parent": "d"}},
        }
    ]
    started = client.post(f"{stage(client, 'conversations.json', newer)}start/")["Location"]
    assert started not in {first, same}
    with tenant_transaction(acme.id):
        rows = Message.objects.of_bank(bank).order_by("said_at", "id")
        assert [one.content for one in rows] == ["What goes with fennel?", "Oranges.", "And with leeks?"]


def test_a_start_that_breaks_off_can_be_repeated(client: Client, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    """The messages are stored, and the upload is still there."""
    preview = stage(client, "conversations.json", CHATGPT)  # loads the views, which must not keep the patched name
    monkeypatch.setattr("memoryplatform.operations.imports.staging.discard_upload", lambda *_: None)
    first = client.post(f"{preview}start/")["Location"]
    assert client.post(f"{preview}start/")["Location"] == first != preview


def test_ready_memories_are_stored_as_they_are(client: Client, acme: Tenant, bank: Bank) -> None:
    preview = stage(client, "mem0.json", MEM0)
    location = client.post(f"{preview}start/")["Location"]
    with tenant_transaction(acme.id):
        operation = Operation.objects.for_tenant(acme.id).get()
    perform(acme.id, operation.id)
    with tenant_transaction(acme.id):
        assert set(MemoryUnit.objects.of_bank(bank).values_list("text", flat=True)) == {"Likes tea", "Has a dog"}
    assert re.search(r"New memories</dt><dd[^>]*>2<", read(client, location))


def test_nothing_of_an_upload_stays(client: Client, bank: Bank) -> None:
    preview = stage(client, "notes.txt", b"A secret recipe.")
    upload_id = preview.rstrip("/").rsplit("/", 1)[1]
    key = name_key(bank, upload_id)  # type: ignore[arg-type]  # as it is in the address
    assert b"secret" not in cache.get(key)[1]
    store: Any = cache
    assert 0 < store._cache.get_client().ttl(store.make_key(key)) <= KEPT_FOR.total_seconds()
    client.post(f"{preview}discard/")
    assert cache.get(key) is None
    gone = client.get(preview)
    assert (gone.status_code, gone["Location"]) == (302, PAGE)
    assert "kept for an hour" in read(client, PAGE)
    again = stage(client, "notes.txt", b"A secret recipe.")
    client.post(f"{again}start/")
    assert cache.get(name_key(bank, again.rstrip("/").rsplit("/", 1)[1])) is None  # type: ignore[arg-type]


def test_a_second_click_imports_nothing_twice(client: Client, acme: Tenant, bank: Bank) -> None:
    preview = stage(client, "notes.txt", b"Fennel goes with oranges.")
    assert client.post(f"{preview}start/")["Location"] == client.post(f"{preview}start/")["Location"]
    with tenant_transaction(acme.id):
        assert Operation.objects.for_tenant(acme.id).count() == 1


def test_a_pasted_text(client: Client, bank: Bank) -> None:
    answer = client.post(PAGE, {"text": "Fennel goes with oranges.\r\nAlways."})
    preview = read(client, answer["Location"])
    assert "Fennel goes with oranges.\nAlways." in preview
    assert "will read about" not in preview  # no model is configured
    started = client.post(f"{answer['Location']}start/")
    with tenant_transaction(bank.tenant_id):
        operation = Operation.objects.for_tenant(bank.tenant_id).get()
    perform(bank.tenant_id, operation.id)
    assert f"{BANK}documents/" in client.get(started["Location"], headers={"HX-Request": "true"}).content.decode()


def test_a_pasted_text_has_the_name_that_it_is_given(client: Client, bank: Bank) -> None:
    answer = client.post(PAGE, {"text": "Fennel goes with oranges.", "name": " Notes of Monday "})
    page = read(client, answer["Location"])
    assert re.search(r"<h1[^>]*>Notes of Monday</h1>", page)
    assert page.count("Notes of Monday") >= 2  # the document has it too


def test_a_name_that_is_too_long_is_refused_and_kept(client: Client, bank: Bank) -> None:
    answer = client.post(PAGE, {"text": "Fennel goes with oranges.", "name": "n" * 151})
    assert answer.status_code == 422
    assert "at most 150 characters" in answer.content.decode()
    assert "n" * 151 in answer.content.decode()


def test_a_model_is_named_before_it_reads(client: Client, bank: Bank, llm: ScriptedLLM) -> None:
    page = read(client, stage(client, "note.txt", b"Fennel goes with oranges. " * 40))
    assert "will read about 260 tokens of this text" in page
    assert "will read about" not in read(client, stage(client, "memories.json", MEM0))
    assert not llm.chat.received


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Choose a file, or paste a text."),
        ('[{"colour": "red"}]', "no known format"),
        ("A note\x00", "Null characters are not allowed."),
    ],
)
def test_a_text_that_can_not_be_imported_keeps_the_input(client: Client, bank: Bank, text: str, reason: str) -> None:
    answer = client.post(PAGE, {"text": text})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert reason in page
    assert json.dumps(text)[1:-1].split("\\")[0] in page


def test_a_broken_file_is_told(client: Client, bank: Bank) -> None:
    answer = send_file(client, "menu.pdf", b"%PDF-1.7 nonsense")
    assert answer.status_code == 422
    assert "This PDF is broken" in answer.content.decode()


def test_the_preview_says_what_would_be_replaced(client: Client, acme: Tenant, bank: Bank) -> None:
    make_document(acme, bank=bank, document_id="notes.txt")
    assert "is there already" in read(client, stage(client, "notes.txt", b"New text."))


def test_a_banks_own_export_goes_into_an_empty_bank(client: Client, acme: Tenant, bank: Bank) -> None:
    make_unit(acme, bank=bank, text="Fennel goes with oranges.")
    body = b"".join(export_bank(BankAccess(acme.id), "kitchen", vectors=False).chunks)
    used = stage(client, "kitchen.jsonl", body)
    assert "holds memories already" in read(client, used)
    refused = client.post(f"{used}start/", follow=True)
    assert "holds memories already: import into a new one" in refused.content.decode()
    other = make_bank(acme, bank_id="copy")
    answer = client.post(
        "/dashboard/banks/copy/import/", {"file": SimpleUploadedFile("kitchen.jsonl", body), "text": ""}
    )
    started = client.post(f"{answer['Location']}start/")
    with tenant_transaction(acme.id):
        operation = Operation.objects.for_tenant(acme.id).get(kind="import_bank")
    perform(acme.id, operation.id)
    assert "The import is done" in read(client, started["Location"])
    with tenant_transaction(acme.id):
        assert MemoryUnit.objects.of_bank(other).get().text == "Fennel goes with oranges."


def test_uploads_and_imports_of_others_are_not_there(client: Client, acme: Tenant, bank: Bank) -> None:
    preview = stage(client, "notes.txt", b"Ours.")
    other = found_tenant(name="Globex", slug="globex", owner=make_person("gina@example.com"))
    make_bank(other, bank_id="kitchen")
    gina = sign_in(User.objects.get(email="gina@example.com"), other)
    assert gina.get(preview).status_code == 302
    assert gina.post(f"{preview}start/")["Location"] == PAGE
    location = client.post(f"{preview}start/")["Location"]
    assert gina.get(location).status_code == 404
    assert client.get(f"{PAGE}progress/{uuid4()}/").status_code == 404


def test_a_viewer_imports_nothing(acme: Tenant, bank: Bank) -> None:
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    assert viewer.get(PAGE).status_code == 403
    assert viewer.post(PAGE, {"text": "x"}).status_code == 403
