"""Pages of the tenant and the account: the audit log in sentences, sessions, cost, and the last bank in the menu."""

import html
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings

from memoryplatform.dashboard.audit_sentences import PHRASES
from memoryplatform.dashboard.templatetags.dashboard import browser
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from tenants.audit import SYSTEM, Actor, record
from tenants.identifiers import uuid7
from tenants.memberships import found_tenant
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import sign_in
from tests.factories import make_api_key, make_bank

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
RECORDED = re.compile(r'(?:record|note)\([^")]*"([a-z_]+\.[a-z_]+)"|action="([a-z_]+\.[a-z_]+)"')


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def read_sentences(client: Client) -> list[str]:
    page = read(client, "/dashboard/audit/")
    found = re.findall(r"<summary[^>]*>(.*?)</summary>", page.split('aria-label="Audit log"')[1], re.DOTALL)
    plain = [html.unescape(re.sub(r"<(svg|time).*?</\1>|<[^>]*>", "", one, flags=re.DOTALL)) for one in found]
    return [" ".join(one.split()) for one in plain]


def test_every_recorded_action_has_a_phrase() -> None:
    folders = ("memoryplatform/operations", "tenants", "retrieval")
    sources = [path.read_text() for folder in folders for path in (Path(settings.BASE_DIR) / folder).rglob("*.py")]
    found = {one or other for text in sources for one, other in RECORDED.findall(text)}
    assert len(found) > 40
    assert found - PHRASES.keys() == set()


def test_the_audit_log_speaks_in_sentences(client: Client, acme: Tenant, owner: User) -> None:
    with tenant_transaction(acme.id):
        User.objects.filter(id=owner.id).update(name="Ada")
    key = make_api_key(acme, name="prod")
    ada, program = Actor(user_id=owner.id), Actor(api_key_prefix=key.prefix)
    said = [
        (ada, "api_key.revoked", f"api_key:{key.prefix}", {}, "Ada revoked the key prod"),
        (ada, "member.role_changed", f"user:{owner.id}", {"before": "admin"}, "Ada changed the role of Ada"),
        (ada, "member.invited", "invitation:7", {"email": "bo@example.com"}, "Ada invited bo@example.com"),
        (ada, "bank.held", "bank:support", {"reason": "x"}, "Ada put the bank support under a legal hold"),
        (
            program,
            "memory.edited",
            "memory:7",
            {"bank_id": "support"},
            "The key prod edited a memory in the bank support",
        ),
        (program, "recall.answered", "bank:support", {}, "The key prod recalled in the bank support"),
        (SYSTEM, "webhook.disabled", "webhook:7", {"url": "https://x.example"}, "The service disabled the webhook"),
        (ada, "something.new", "thing:7", {}, "Ada something.new 7"),
        (ada, "admin.viewed", "memoryunit:7", {}, "Ada of the staff looked at memoryunit"),
        (ada, "bank.created", "bank:<b>x</b>", {}, "Ada created the bank <b>x</b>"),
    ]
    with tenant_transaction(acme.id):
        for actor, action, target, detail, _ in said:
            record(acme.id, actor=actor, action=action, target=target, detail=detail)
    for written, (*_, wanted) in zip(read_sentences(client), said[::-1], strict=False):
        assert written.startswith(wanted)
    page = read(client, "/dashboard/audit/")
    assert f'<code class="break-all">api_key:{key.prefix}</code>' in page  # in the details
    assert "<b>x</b>" not in page


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15", "Safari on macOS"),
        ("curl/8.5.0", "curl"),
        ("", "Unknown"),
    ],
)
def test_a_session_names_its_browser_and_system(agent: str, name: str) -> None:
    assert browser(agent) == name


def test_the_raw_user_agent_is_still_there(client: Client) -> None:
    client.get("/dashboard/", headers={"User-Agent": FIREFOX})
    page = client.get("/accounts/sessions/", headers={"User-Agent": FIREFOX}).content.decode()
    assert f'<span title="{FIREFOX}">Firefox on Linux</span>' in page


def test_connected_accounts_have_no_empty_heading(client: Client) -> None:
    page = read(client, "/accounts/3rdparty/")
    assert "This service has no log-in by other services." in page
    assert "<h2" not in page


def test_without_prices_the_cost_is_not_zero(client: Client) -> None:
    with override_settings(MODEL_PRICES={}):
        page = read(client, "/dashboard/usage/")
    assert "No prices set" in page
    link = re.search(r'href="(/docs/plans/#[^"]+)"', page)
    assert link
    assert f'id="{link[1].partition("#")[2]}"' in read(client, link[1].partition("#")[0])
    with override_settings(MODEL_PRICES={"gpt": {"input": 1, "output": 2}}):
        assert "No prices set" not in read(client, "/dashboard/usage/")


def test_the_menu_keeps_the_last_bank_on_pages_of_the_tenant(client: Client, acme: Tenant, owner: User) -> None:
    make_bank(acme, bank_id="support", name="Juno")
    memories = 'href="/dashboard/banks/support/memories/"'
    assert memories not in read(client, "/dashboard/members/")
    read(client, "/dashboard/banks/support/")
    for path in ("/dashboard/members/", "/dashboard/", "/accounts/email/"):
        page = read(client, path)
        assert memories in page
        assert "Juno" in page
    other = found_tenant(name="Globex", slug="globex", owner=owner)
    client.post("/dashboard/tenants/switch/", {"tenant": str(other.id)})
    assert memories not in read(client, "/dashboard/members/")
    assert client.get("/dashboard/banks/support/").status_code == 404
    client.post("/dashboard/tenants/switch/", {"tenant": str(acme.id)})


def test_a_deleted_bank_leaves_the_menu(client: Client, acme: Tenant) -> None:
    make_bank(acme, bank_id="support", name="Juno")
    read(client, "/dashboard/banks/support/")
    delete_bank_for_good(BankAccess(acme.id), "support")
    assert client.get("/dashboard/banks/support/memories/").status_code == 404
    assert "banks/support/" not in read(client, "/dashboard/members/")


@pytest.mark.parametrize("path", ["/dashboard/settings/", "/dashboard/tenants/new/"])
def test_a_refused_name_of_a_tenant_keeps_the_input(client: Client, path: str) -> None:
    answer = client.post(path, {"name": "www.acme.example"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "<p>The name contains a web address.</p>" in page
    assert 'value="www.acme.example"' in page


@pytest.mark.parametrize(
    ("address", "thing"),
    [
        ("keys/{}/rotate/", "key"),
        ("keys/{}/revoke/", "key"),
        ("members/{}/role/", "member"),
        ("members/{}/remove/", "member"),
        ("invitations/{}/revoke/", "invitation"),
        ("apps/{}/disconnect/", "app"),
    ],
)
def test_what_is_not_there_or_another_tenants_is_a_404(client: Client, address: str, thing: str) -> None:
    answer = client.post(f"/dashboard/{address.format(uuid7())}", {"overlap": "1", "role": "viewer"})
    assert answer.status_code == 404
    assert f"This {thing} is not here" in answer.content.decode()
