"""A bank as a file, as a copy and as a template, through Hindsight's client."""

import json
from io import BytesIO
from typing import Any
from uuid import UUID
from zipfile import ZipFile

import httpx
import pytest
from hindsight_client import Hindsight
from hindsight_client_api.api.bank_templates_api import BankTemplatesApi
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.bank_template_directive import BankTemplateDirective
from hindsight_client_api.models.bank_template_manifest import BankTemplateManifest

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_key_with_text, make_tenant
from tests.operations.imports.test_readers import make_zip
from tests.retrieval.memory import Memory


def fetch_file(client: Hindsight, run: Run, tenant: Tenant) -> bytes:
    asked = run(client.bank_transfer.export_bank_transfer("support"))
    perform(tenant.id, asked.operation_id)
    fetch = client._download_operation_archive  # called by export_bank
    archive: bytes = run(fetch("support", asked.operation_id, poll_interval=0.1, timeout=30.0))
    return archive


def list_texts(client: Hindsight, bank_id: str) -> list[str | None]:
    return [memory.text for memory in client.list_memories(bank_id).items]


def test_a_bank_is_exported_and_restored(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    memory.unit("Bob has a red boat", tags=["sea"])
    archive = fetch_file(client, run, alice)
    operation_id = client.import_bank("support", archive, target_bank_id="restored")
    perform(alice.id, UUID(operation_id))
    status = run(client.operations.get_operation_status("support", operation_id))
    assert (status.status, status.result_metadata["rows"]["unit"]) == ("completed", 1)
    assert [result.text for result in client.recall("restored", "Bob red boat").results] == ["Bob has a red boat"]
    with pytest.raises(ApiException, match="exists already") as refused:
        client.import_bank("support", archive)  # into its own source bank
    assert refused.value.status == 409
    with pytest.raises(ApiException, match="incomplete"):
        client.import_bank("support", archive.rpartition(b'{"type":"end"')[0], target_bank_id="half")
    with pytest.raises(ApiException, match="does not begin with a header"):
        client.import_bank("support", b"PK")
    assert {bank.bank_id for bank in run(client.banks.list_banks()).banks} == {"support", "restored"}


def test_a_clone_goes_its_own_way(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    memory.unit("Bob has a red boat")
    operation_id = client.clone_bank("support", "copy")
    perform(alice.id, UUID(operation_id))
    status = run(client.operations.get_operation_status("support", operation_id))
    assert (status.status, status.error_message) == ("completed", None)
    run(client.memory.clear_bank_memories("support"))
    assert (list_texts(client, "support"), list_texts(client, "copy")) == ([], ["Bob has a red boat"])
    with pytest.raises(ApiException, match="exists already"):
        client.clone_bank("support", "copy")


def test_a_part_of_a_bank_is_refused(client: Hindsight, run: Run, memory: Memory) -> None:
    for call in (
        client.bank_transfer.export_bank_transfer("support", include_data=False),
        client.bank_transfer.export_bank_transfer("support", document_id=["a"]),
        client.bank_transfer.clone_bank("support", "copy", include_history=True),
    ):
        with pytest.raises(ApiException) as refused:
            run(call)
        assert refused.value.status == 501


def test_only_a_key_that_reaches_the_bank_downloads_its_file(
    client: Hindsight, make_client: MakeClient, run: Run, memory: Memory, alice: Tenant
) -> None:
    asked = run(client.bank_transfer.export_bank_transfer("support"))
    perform(alice.id, asked.operation_id)
    for stranger in (make_client(make_tenant("charlie")), make_client(alice, banks=["other"])):
        with pytest.raises(ApiException) as refused:
            run(stranger.document_transfer.download_file("banks/support"))
        assert refused.value.status == 404


def test_a_template_carries_settings_models_and_directives(client: Hindsight, run: Run, memory: Memory) -> None:
    templates = BankTemplatesApi(client.banks.api_client)
    client.update_bank_config("support", disposition_empathy=5, reflect_mission="I help.")
    client.create_mental_model("support", "Homes", "Where does Alice live?", id="homes")
    client.create_directive("support", "short", "Be brief.", priority=3)
    manifest = run(templates.export_bank_template("support"))
    assert manifest.bank.to_dict()["disposition_empathy"] == 5
    trial = run(templates.import_bank_template("new", manifest, dry_run=True))
    assert (trial.dry_run, trial.mental_models_created, trial.directives_created) == (True, ["homes"], ["short"])
    assert run(client.banks.list_banks()).total == 1
    made = run(templates.import_bank_template("new", manifest))
    assert (made.config_applied, made.mental_models_created, len(made.operation_ids)) == (True, ["homes"], 1)
    assert client.get_bank_config("new")["overrides"] == {"disposition_empathy": 5, "reflect_mission": "I help."}
    again = run(templates.import_bank_template("new", manifest))
    assert (again.mental_models_updated, again.directives_updated) == (["homes"], ["short"])
    assert (again.mental_models_created, again.directives_created) == ([], [])
    assert [one.content for one in client.list_directives("new").items] == ["Be brief."]


def test_a_template_is_applied_whole_or_not_at_all(client: Hindsight, run: Run, memory: Memory) -> None:
    templates = BankTemplatesApi(client.banks.api_client)
    directives = [BankTemplateDirective(name=name, content=text) for name, text in {"a": "A.", "b": ""}.items()]
    with pytest.raises(ApiException) as refused:
        run(templates.import_bank_template("support", BankTemplateManifest(version="1", directives=directives)))
    assert refused.value.status == 422
    assert client.list_directives("support").items == []


DEPRECATED_EXPORT = pytest.mark.filterwarnings("ignore:POST .*/export is deprecated:DeprecationWarning")
DEPRECATED = pytest.mark.filterwarnings("ignore:POST .*/document-transfer is deprecated:DeprecationWarning")


def make_archive(text: str) -> bytes:
    fact = {"text": text, "fact_type": "world", "mentioned_at": "2024-05-02T10:00:00Z", "entities": ["Bob"]}
    told = {"id": "talk", "original_text": "long talk", "tags": ["sea"], "facts": [fact]}
    note = {"id": "note", "original_text": "Ana lives in Lisbon.", "facts": []}
    parts = {"manifest.json": {"schema_version": 2}, "documents/000000.json": told, "documents/000001.json": note}
    return make_zip(**parts)


@DEPRECATED
def test_documents_of_hindsights_archive_are_added(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    def add(text: str, on_conflict: str | None = None) -> list[str]:
        asked = run(client.document_transfer.import_documents("support", make_archive(text), on_conflict))
        perform(alice.id, UUID(asked.operation_id))
        status = run(client.operations.get_operation_status("support", asked.operation_id))
        assert (status.status, status.error_message) == ("completed", None)
        return sorted(str(text) for text in list_texts(client, "support"))

    red, blue, ana = "Bob has a red boat.", "Bob has a blue boat.", "Ana lives in Lisbon."
    assert add(red) == [ana, red]
    assert add(blue) == [ana, red]
    assert add(blue, "replace") == [ana, blue]
    assert add(red, "new-id") == [ana, blue, red]
    assert len(run(client.documents.list_documents("support")).items) == 4


@DEPRECATED
def test_another_file_is_no_archive_of_documents(client: Hindsight, run: Run) -> None:
    with pytest.raises(ApiException, match="broken") as refused:
        run(client.document_transfer.import_documents("support", b"PK"))
    assert refused.value.status == 422


def fetch_documents(client: Hindsight, run: Run, tenant: Tenant, ids: list[str] | None = None) -> bytes:
    asked = run(client.document_transfer.export_documents("support", document_id=ids))
    perform(tenant.id, UUID(asked.operation_id))
    archive: bytes = run(
        client._download_operation_archive("support", asked.operation_id, poll_interval=0.1, timeout=30.0)
    )
    return archive


@DEPRECATED_EXPORT
@DEPRECATED
def test_chosen_documents_move_to_another_bank(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    client.retain("support", "Alice moved to Lisbon in May.", document_id="letters/1", tags=["mail"])
    client.retain("support", "Bob sails in Kiel.", document_id="letters/2")
    (fact,) = [one for one in client.list_memories("support").items if "Lisbon" in (one.text or "")]
    archive = fetch_documents(client, run, alice, ["letters/1"])
    with ZipFile(BytesIO(archive)) as opened:
        (name,) = [one for one in opened.namelist() if one.startswith("documents/")]
        told = json.loads(opened.read(name))
    assert (told["id"], told["original_text"], told["tags"]) == (
        "letters/1",
        "Alice moved to Lisbon in May.",
        ["mail"],
    )
    assert [one["text"] for one in told["facts"]] == [fact.text]
    assert {"Alice", "Lisbon"} <= set(told["facts"][0]["entities"])
    moved = run(client.document_transfer.import_documents("moved", archive))
    perform(alice.id, UUID(moved.operation_id))
    assert list_texts(client, "moved") == [fact.text]
    assert [one.id for one in run(client.documents.list_documents("moved")).items] == ["letters/1"]


@DEPRECATED_EXPORT
def test_an_archive_has_present_contents_for_those_who_may_read(
    client: Hindsight, run: Run, memory: Memory, alice: Tenant, base_url: str
) -> None:
    client.retain("support", "Alice moved to Lisbon.", document_id="letters/1")
    client.retain("support", "Bob sails in Kiel.", document_id="letters/2")
    asked = run(client.document_transfer.export_documents("support"))
    perform(alice.id, UUID(asked.operation_id))
    run(client.documents.delete_document("support", "letters/1"))
    key = run(client.operations.get_operation_status("support", asked.operation_id)).result_metadata["storage_key"]

    def read_ids(tenant: Tenant, **fields: Any) -> list[str] | int:
        headers = {"Authorization": make_key_with_text(tenant, **fields)[1]}
        response = httpx.get(f"{base_url}/v1/default/files/download/{key}", headers=headers)
        if response.status_code != 200:
            return response.status_code
        with ZipFile(BytesIO(response.content)) as opened:
            return [json.loads(opened.read(one))["id"] for one in opened.namelist() if one.startswith("documents/")]

    assert read_ids(alice) == ["letters/2"]
    assert read_ids(alice, banks=["other"]) == 404
    assert read_ids(alice, scopes=["write"]) == 403
    assert read_ids(make_tenant("charlie")) == 404
    with pytest.raises(ApiException) as missing:
        run(client.document_transfer.export_documents("support", document_id=["letters/1"]))
    assert missing.value.status == 404
    with pytest.raises(ApiException) as refused:
        run(client.document_transfer.export_documents("support", include_observations=True))
    assert refused.value.status == 501
