"""Banks and their backgrounds, retention rules and observations."""

import pytest

from memoryplatform_client import AlreadyExists, BankNotFound, MemoryClient, NotFound, PreconditionFailed
from memoryplatform_client.options.banks import TermFields
from memoryplatform_client.options.retain import EntityFields

pytestmark = pytest.mark.parametrize("client", ["sync"], indirect=True)  # both clients send the same requests

ODD_ID = "50% of Größe? #1&x=y+z"


def test_a_bank_from_its_making_to_its_end(client: MemoryClient, worker: None) -> None:
    made = client.banks.create("support", name="Nora", disposition={"skepticism": 5}, bias_strength=0.2)
    assert (made.name, made.disposition.skepticism, made.disposition.empathy) == ("Nora", 5, 3)
    assert client.banks.get("support") == made
    changed = client.banks.update("support", extraction_mode="verbatim", if_match=made.etag)
    assert changed.extraction_mode == "verbatim"
    with pytest.raises(PreconditionFailed):
        client.banks.update("support", name="Ana", if_match=made.etag)
    with pytest.raises(PreconditionFailed):
        client.background.merge("support", "You were born in Texas.", if_match=made.etag)
    with pytest.raises(PreconditionFailed):
        client.banks.delete("support", if_match=made.etag)
    with pytest.raises(AlreadyExists):
        client.banks.create("support")
    gone = client.banks.delete("support", if_match=changed.etag)
    with pytest.raises(BankNotFound):
        client.banks.get("support")
    assert client.operations.wait(gone.operation_id, timeout=30).status == "completed"


def test_extraction_settings_and_a_dry_run_with_others(client: MemoryClient) -> None:
    types: list[TermFields] = [{"name": "DRUG", "description": "A medicine."}]
    categories: list[TermFields] = [{"name": "health"}]
    made = client.banks.create("vet", retain_mission="Animals.", entity_types=types, categories=categories)
    assert (made.retain_mission, made.entity_types[0].name, made.categories[0].description) == ("Animals.", "DRUG", "")
    assert (
        client.banks.update_config("vet", {"llm_output_language": "German"}).overrides.llm_output_language == "German"
    )
    tried = client.dry_run("vet", "Bolt takes Carprofen.", tags=["dogs"], settings={"leave_out": "Prices."})
    assert (tried.dry_run, tried.engine, tried.items[0].facts[0].outcome) == (True, "builtin", "add")
    assert [fact.text for fact in tried.items[0].facts] == ["Bolt takes Carprofen."]
    assert list(client.memories.list("vet")) == []


def test_an_id_of_any_letters_reaches_its_bank(client: MemoryClient) -> None:
    client.banks.create(ODD_ID)
    assert client.banks.get(ODD_ID).bank_id == ODD_ID
    assert [bank.bank_id for bank in client.banks.list(q="50%")] == [ODD_ID]


def test_a_bank_without_an_id_gets_one(client: MemoryClient) -> None:
    assert client.banks.get(client.banks.create().bank_id).bank_id


def test_the_same_key_makes_one_bank(client: MemoryClient) -> None:
    first = client.banks.create(name="one", idempotency_key="k-1")
    assert client.banks.create(name="one", idempotency_key="k-1").bank_id == first.bank_id
    assert len(list(client.banks.list())) == 1


def test_a_background_is_merged_and_its_changes_are_kept(client: MemoryClient) -> None:
    client.banks.create("support", background="I am Nora.")
    merged = client.background.merge("support", "You were born in Texas.")
    assert merged.changed
    assert "You were born in Texas" in client.background.get("support").background
    assert [revision.number for revision in client.background.revisions("support", limit=1)] == [2, 1]


def test_a_retention_rule_is_made_changed_applied_and_deleted(client: MemoryClient, worker: None) -> None:
    client.banks.create("support")
    rule = client.retention_rules.create("support", "old chat", 30, network="experience", action="fade")
    assert client.retention_rules.update("support", rule.id, days=60).days == 60
    assert [one.id for one in client.retention_rules.list("support")] == [rule.id]
    started = client.banks.run_maintenance("support")
    assert client.operations.wait(started.operation_id, timeout=30).kind == "tend_bank"
    assert client.retention_rules.get("support", rule.id).applied_at
    client.retention_rules.delete("support", rule.id)
    with pytest.raises(NotFound):
        client.retention_rules.get("support", rule.id)


def test_without_a_model_a_refresh_has_no_operation_and_the_list_is_empty(client: MemoryClient, worker: None) -> None:
    told = ("Ana Reis plays the cello.", "Ana Reis lives in Porto.")
    person: EntityFields = {"name": "Ana Reis", "kind": "PERSON"}
    client.retain("support", facts=[{"text": text, "entities": [person]} for text in told])
    for operation in client.operations.list(kind="consolidate"):
        client.operations.wait(operation.operation_id, timeout=30)
    [ana] = client.entities.list("support", q="Ana", kind="PERSON")
    refreshed = client.observations.refresh("support", ana.id)
    assert (refreshed.operation_id, refreshed.engine) == (None, "builtin")
    assert list(client.observations.list("support", entity_id=ana.id)) == []
