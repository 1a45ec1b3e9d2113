"""Values in the address that can't be read: every page shows itself without them, and names the filter."""

import html
import re

import pytest
from django.test import Client

from memoryplatform.operations.account import llm_log
from memoryplatform.operations.account.access import TenantAccess
from tenants.memberships import found_tenant
from tenants.models import Member, User
from tests.accounts.conftest import make_person, sign_in
from tests.factories import make_bank
from tests.memory_factories import make_entity, make_episode, make_message, make_unit

BANK = "/dashboard/banks/support"
ADDRESSES = [
    ("/dashboard/usage/?since=x", "From"),
    ("/dashboard/usage/?by=x", "Grouped by"),
    ("/dashboard/usage/?measure=x", "Measure"),
    ("/dashboard/audit/?since=x", "From"),
    ("/dashboard/llm/requests/?task=x", "Task"),
    ("/dashboard/llm/requests/?operation=x", "Operation"),
    ("/dashboard/llm/requests/?before=x", "Older"),
    ("/dashboard/operations/?status=x", "State"),
    ("/dashboard/operations/?kind=x", "Kind"),
    ("/dashboard/operations/?before=x", "Older"),
    (f"{BANK}/memories/?network=x", "Network"),
    (f"{BANK}/memories/?known_at=x", "Known on"),
    (f"{BANK}/timeline/?as_of=x", "What was true"),
    (f"{BANK}/timeline/?lanes=x", "Lanes"),
    (f"{BANK}/timeline/?entity=x", "Entity"),
    (f"{BANK}/graph/?size=x", "Newest nodes"),
    (f"{BANK}/graph/?node=x", "Node"),
    (f"{BANK}/graph/?hide=x", "Hidden"),
    (f"{BANK}/entities/?kind=x", "Kind"),
    (f"{BANK}/opinions/?queue=x", "Queue"),
    (f"{BANK}/opinions/?review=x", "State"),
    (f"{BANK}/conversations/?before=x", "Older"),
    (f"{BANK}/conversations/?thread=kitchen&message=x", "Message"),
    (f"{BANK}/conversations/?thread=kitchen&quoted=x", "Quoted memory"),
]


@pytest.fixture
def olga(committed_db: None, redis_server: object) -> User:
    return make_person("olga@example.com")


def test_every_page_names_the_filter_that_it_could_not_read(olga: User) -> None:
    acme = found_tenant(name="Acme", slug="acme", owner=olga)
    bank = make_bank(acme, bank_id="support")
    make_unit(acme, bank=bank, text="Alice likes tea.")
    make_entity(acme, bank=bank, name="Alice")
    episode = make_episode(acme, bank=bank, thread="kitchen", message_count=1)
    make_message(acme, bank=bank, thread="kitchen", content="I like tea.", episode=episode)
    llm_log.set_log_days(TenantAccess(acme.id, Member.Role.OWNER), 7)
    client: Client = sign_in(olga, acme)
    for address, label in ADDRESSES:
        answer = client.get(address)
        assert answer.status_code == 200, address
        page = html.unescape(answer.content.decode())
        assert page.count("can't be read") == 1, address
        assert f"{label}: “x” can't be read, so it does not filter." in page, address
        good = client.get(address.replace("=x", "=")).content.decode()
        assert "can&#x27;t be read" not in good, address


def test_a_character_that_nobody_sees_is_shown_by_its_number(olga: User) -> None:
    acme = found_tenant(name="Acme", slug="acme", owner=olga)
    make_bank(acme, bank_id="support")
    client = sign_in(olga, acme)
    for address in ("/dashboard/usage/?by=%00", "/dashboard/audit/?actor=%00", f"{BANK}/memories/?q=%00"):
        assert "“⟨U+0000⟩” can't be read" in html.unescape(client.get(address).content.decode()), address


def test_the_csv_of_the_audit_log_leaves_out_what_could_not_be_read(olga: User) -> None:
    client = sign_in(olga, found_tenant(name="Acme", slug="acme", owner=olga))
    page = html.unescape(client.get("/dashboard/audit/?since=x&action=%00&target=api_key").content.decode())
    address = re.findall(r'href="(/dashboard/audit/csv/[^"]*)"', page)[0]
    assert address == "/dashboard/audit/csv/?target=api_key"
    assert client.get(address).status_code == 200
