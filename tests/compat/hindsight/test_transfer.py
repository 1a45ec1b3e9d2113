"""A bank as a file, as a copy and as a template, through Hindsight's client."""

from uuid import UUID

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.api.bank_templates_api import BankTemplatesApi
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.bank_template_directive import BankTemplateDirective
from hindsight_client_api.models.bank_template_manifest import BankTemplateManifest

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_tenant
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
