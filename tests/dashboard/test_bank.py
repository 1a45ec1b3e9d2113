"""The summary and the settings of a bank."""

import html
import json

import pytest
from django.test import Client

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, change_bank
from reflection.models import RetentionRule
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply

__all__ = ["llm"]

BANK = "/dashboard/banks/support/"
SETTINGS = {
    "name": "Juno", "opinion_step": "0.2", "opinion_reach": "", "secrets": "redact",
    "personal_data": "flag", "personal_kinds": ["email"], "phone_region": "DE", "instructions": "quarantine",
}  # fmt: skip


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def read(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def fresh(bank: Bank) -> Bank:
    with tenant_transaction(bank.tenant_id):
        return Bank.objects.for_tenant(bank.tenant_id).get(id=bank.id)


def test_the_summary_shows_networks_entities_and_episodes(client: Client, support: Bank) -> None:
    page = read(client, BANK)
    for words in (
        "world",
        "experience",
        "opinion",
        "observation",
        "Caroline",
        "kitchen",
        "Failed this week",
        "new in 30 days",
    ):
        assert words in page
    assert "+2" in page or "+3" in page or "+1" in page


def test_the_words_of_the_disposition_follow_the_sliders(client: Client, support: Bank) -> None:
    sharp = read(client, f"{BANK}disposition/?skepticism=5&literalism=1&empathy=3&bias_strength=0.9")
    assert "You are very skeptical" in sharp
    assert "90%" in sharp
    assert "Be objective" in read(client, f"{BANK}disposition/?bias_strength=0")
    assert "neither trusting" in read(client, f"{BANK}disposition/?skepticism=99&empathy=x&bias_strength=nan")


def test_disposition_and_background_are_saved_with_a_revision(client: Client, support: Bank) -> None:
    given = {"skepticism": 5, "literalism": 1, "empathy": 2, "bias_strength": "0.75"}
    client.post(f"{BANK}disposition/save/", given)
    client.post(f"{BANK}background/", {"background": "I am Juno, and I like lakes."})
    client.post(f"{BANK}background/", {"background": "I am Juno, and I like rivers."})
    row = fresh(support)
    assert (row.skepticism, row.literalism, row.empathy, row.bias_strength) == (5, 1, 2, 0.75)
    page = read(client, BANK)
    assert "2 revisions" in page
    assert "<ins" in page
    refused = client.post(f"{BANK}disposition/save/", given | {"skepticism": 9}, follow=True)
    assert "from 1 to 5" in refused.content.decode()
    assert fresh(support).skepticism == 5


def test_settings_are_saved_and_refused_ones_keep_the_input(client: Client, acme: Tenant, support: Bank) -> None:
    assert client.post(f"{BANK}settings/save/", SETTINGS).status_code == 302
    row = fresh(support)
    assert (row.name, row.opinion_step, row.learns_background) == ("Juno", 0.2, False)
    assert row.protection["personal_kinds"] == ["email"]
    refused = client.post(f"{BANK}settings/save/", SETTINGS | {"opinion_step": "7", "name": "Kept"})
    assert refused.status_code == 422
    assert "Kept" in refused.content.decode()
    change_bank(BankAccess(acme.id), "support", BankChange(name="Faster"))
    stale = client.post(f"{BANK}settings/save/", SETTINGS | {"version": "0" * 16})
    assert stale.status_code == 422
    assert "These settings have changed since you opened them" in stale.content.decode()
    assert fresh(support).name == "Faster"


EXTRACTION = {
    "extraction_mode": "narrative",
    "retain_mission": "The health of animals.\r\nAnd what they eat.",
    "leave_out": "Prices.",
    "retain_language": "German",
    "entity_types": "MEDICATION: a drug\r\n\r\n  PET  ",
    "entity_types_closed": "on",
    "categories": "topic:health: illness: and drugs\nfood",
}


def test_what_to_remember_is_saved_and_shown(client: Client, acme: Tenant, support: Bank) -> None:
    assert client.post(f"{BANK}settings/extraction/", EXTRACTION).status_code == 302
    row = fresh(support)
    assert row.retain_mission == "The health of animals.\nAnd what they eat."
    assert (row.leave_out, row.retain_language, row.entity_types_closed) == ("Prices.", "German", True)
    assert row.entity_types == [{"name": "MEDICATION", "description": "a drug"}, {"name": "PET", "description": ""}]
    assert row.categories == [
        {"name": "topic:health", "description": "illness: and drugs"},
        {"name": "food", "description": ""},
    ]
    page = read(client, f"{BANK}settings/")
    for words in ("MEDICATION: a drug\nPET", "topic:health: illness: and drugs\nfood", "no language model"):
        assert words in page
    again = EXTRACTION | {"entity_types": "medication", "categories": "Food\nfood", "leave_out": "Kept"}
    refused = client.post(f"{BANK}settings/extraction/", again)
    assert refused.status_code == 422
    for words in ("must have capital letters", "may occur once", "Kept"):
        assert words in refused.content.decode()
    change_bank(BankAccess(acme.id), "support", BankChange(name="Faster"))
    stale = client.post(f"{BANK}settings/extraction/", EXTRACTION | {"leave_out": "", "version": "0" * 16})
    assert (stale.status_code, fresh(support).leave_out) == (422, "Prices.")


def test_a_text_is_tried_with_settings_that_are_not_saved(client: Client, support: Bank, llm: ScriptedLLM) -> None:
    fact = {"text": "Bolt takes <b>Carprofen</b>.", "entities": ["Carprofen (MEDICATION)"], "categories": ["food"]}
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [fact]}))
    page = client.post(f"{BANK}settings/extraction/try/", EXTRACTION | {"text": "Bolt takes Carprofen."})
    shown = page.content.decode()
    for words in ("Bolt takes &lt;b&gt;Carprofen&lt;/b&gt;.", "MEDICATION", "food", "nothing kept", "Read by scripted"):
        assert words in shown
    assert "The health of animals." in llm.chat.received[0].body["messages"][0]["content"]
    assert fresh(support).retain_mission == ""
    llm.chat.fail(503)
    away = client.post(f"{BANK}settings/extraction/try/", EXTRACTION | {"text": "Bolt takes Carprofen."})
    assert (away.status_code, "alert-error" in away.content.decode()) == (200, True)


def test_a_text_that_can_not_be_tried_is_told(client: Client, support: Bank) -> None:
    for given, words in (
        ({"text": ""}, "Write a text"),
        ({"text": "a" * 20_001}, "Write a text"),
        (EXTRACTION | {"text": "Bolt.", "categories": "a\na"}, "Categories: Each name may occur once."),
        ({"text": "Bolt takes Carprofen."}, "1 fact, nothing kept"),
    ):
        page = client.post(f"{BANK}settings/extraction/try/", given)
        assert (page.status_code, words in page.content.decode()) == (200, True), words


def test_retention_rules_are_added_switched_and_deleted(client: Client, support: Bank) -> None:
    too_wide = client.post(f"{BANK}rules/", {"name": "all", "action": "delete", "days": 3})
    assert too_wide.status_code == 422
    assert "needs a network or a tag" in too_wide.content.decode()
    client.post(f"{BANK}rules/", {"name": "old", "action": "fade", "network": "world", "tag": "", "days": 90})
    with tenant_transaction(support.tenant_id):
        (rule,) = RetentionRule.objects.of_bank(support)
    assert "old" in read(client, f"{BANK}settings/")
    client.post(f"{BANK}rules/{rule.id}/switch/", {"enabled": "no"})
    with tenant_transaction(support.tenant_id):
        assert not RetentionRule.objects.of_bank(support).get().enabled
    client.post(f"{BANK}rules/{rule.id}/delete/")
    with tenant_transaction(support.tenant_id):
        assert not RetentionRule.objects.of_bank(support).exists()


def test_a_bank_is_held_and_then_not_deleted(client: Client, support: Bank) -> None:
    client.post(f"{BANK}settings/hold/", {"reason": "Case 7"})
    assert "Case 7" in read(client, BANK)
    client.post(f"{BANK}settings/delete/", {"bank_id": "support"})
    assert fresh(support).deleted_at is None
    client.post(f"{BANK}settings/hold/", {"reason": ""})
    assert fresh(support).held_since is None


def test_a_bank_is_deleted_only_by_its_typed_id(client: Client, support: Bank) -> None:
    wrong = client.post(f"{BANK}settings/delete/", {"bank_id": "Support"})
    assert wrong.status_code == 422
    field = wrong.content.decode().split('id="id_bank_id"')[1].split("</div>")[0]
    assert 'value="Support"' in field
    assert "Type support to delete this bank" in field
    assert fresh(support).deleted_at is None
    client.post(f"{BANK}settings/delete/", {"bank_id": "support"})
    assert fresh(support).deleted_at is not None
    read(client, BANK, status=404)
    read(client, f"{BANK}memories/", status=404)


def test_a_viewer_reads_and_changes_nothing(acme: Tenant, support: Bank) -> None:
    viewer = sign_in(join(acme, "vera@example.com", "viewer"), acme)
    page = read(viewer, f"{BANK}settings/")
    assert "Danger zone" not in page
    assert "<fieldset disabled" in page
    assert "Save the disposition" not in read(viewer, BANK)
