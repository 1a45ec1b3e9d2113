"""The overview: banks, work, recalls, the creation of a bank, and the first steps."""

import re
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banks.models import Bank, Corpus, CorpusStatistics
from memoryplatform.embedded.demo.seed import seed_demo
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.overview import find_percentile, list_bank_summaries, measure_recalls
from tenants.memberships import found_tenant
from tenants.models import ApiKey, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.factories import assign_limits, make_bank, make_key_with_text, make_operation, make_tenant, make_usage_day
from tests.memory_factories import make_recall_record, make_row, make_unit

SNIPPET = "from memoryplatform_client import MemoryClient"


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def read(client: Client, path: str = "/dashboard/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connections["default"]) as ours, CaptureQueriesContext(connections["platform"]) as every:
        assert client.get(path).status_code == 200
    return len(ours) + len(every)


def fill_bank(tenant: Tenant, bank_id: str) -> Bank:
    bank = make_bank(tenant, bank_id=bank_id, name=bank_id.title())
    for number in range(3):
        make_unit(tenant, bank=bank, number=number, mentioned_at=timezone.now() - timedelta(days=number))
    make_row(CorpusStatistics, tenant, bank=bank, corpus=Corpus.UNIT, texts=3)
    make_recall_record(tenant, bank=bank)
    return bank


def test_a_bank_is_shown_with_its_size_its_growth_and_its_last_activity(acme: Tenant, client: Client) -> None:
    fill_bank(acme, "support")
    with tenant_transaction(acme.id):
        (found,) = list_bank_summaries(BankAccess(acme.id), limit=5)
    assert (found.memories, len(found.growth), found.growth[-3:]) == (3, 30, (1, 1, 1))
    assert timezone.now() - found.active_at < timedelta(minutes=5)
    page = read(client)
    assert "Support" in page
    assert "/dashboard/banks/support/" in page


def test_the_growth_of_a_large_tenant_is_kept_for_a_minute(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryplatform.operations.overview.MANY_MEMORIES", 1)
    bank = fill_bank(acme, "support")
    for _ in range(2):
        with tenant_transaction(acme.id):
            (found,) = list_bank_summaries(BankAccess(acme.id), limit=5)
        assert found.growth[-1] == 1
        make_unit(acme, bank=bank)


def test_the_banks_of_another_tenant_are_not_shown(client: Client) -> None:
    fill_bank(make_tenant(), "foreign")
    assert "foreign" not in read(client)


def test_banks_are_found_by_their_words(acme: Tenant, client: Client) -> None:
    for bank_id in ("support", "sales"):
        make_bank(acme, bank_id=bank_id)
    page = read(client, "/dashboard/?q=SUPP")
    assert "/dashboard/banks/support/" in page
    assert "/dashboard/banks/sales/" not in page
    assert "No bank has" in read(client, "/dashboard/?q=%00nothing")


def test_more_banks_take_no_more_queries(acme: Tenant, client: Client) -> None:
    fill_bank(acme, "support")
    few = count_queries(client, "/dashboard/")
    for number in range(5):
        fill_bank(acme, f"bank-{number}")
    assert count_queries(client, "/dashboard/") <= few < 40


def test_volume_and_latency_of_recalls(acme: Tenant, client: Client) -> None:
    assert "No recall yet" in read(client)
    bank = make_bank(acme)
    for milliseconds in (10.0, 20.0, 90.0):
        make_recall_record(acme, bank=bank, milliseconds={"total": milliseconds})
    make_recall_record(acme, bank=bank, milliseconds={"total": 9_000.0}, purpose="reflect")
    with tenant_transaction(acme.id):
        figures = measure_recalls(acme.id)
    assert (figures.usual, round(figures.slow or 0)) == (20.0, 83)
    assert figures.days[-1].slow == figures.slow
    assert figures.days[0].slow is None
    assert "median · 95 % under 83 ms" in read(client)


def test_a_percentile_of_few_values() -> None:
    assert find_percentile([], 95) is None
    assert find_percentile([7.0], 95) == 7.0


def test_running_and_failed_work_is_shown(acme: Tenant, client: Client) -> None:
    assert "Nothing runs" in read(client)
    lease = timezone.now() + timedelta(minutes=5)
    make_operation(acme, kind="retain", status="processing", lease_until=lease, total=8, processed=3)
    make_operation(acme, kind="import_bank", status="failed", error_code="failed", error_detail="The file is cut off.")
    page = read(client)
    assert 'hx-get="/dashboard/work/"' in page
    assert "The file is cut off." in page
    assert 'value="3" max="8"' in read(client, "/dashboard/work/")


def test_a_member_creates_a_bank(acme: Tenant) -> None:
    client = sign_in(join(acme, "mia@example.com", "member"), acme)
    answer = client.post("/dashboard/new-bank/", {"bank_id": "sales", "name": "Sales", "background": "I sell."})
    assert answer["Location"] == "/dashboard/banks/sales/"
    with tenant_transaction(acme.id):
        bank = Bank.objects.for_tenant(acme.id).get(bank_id="sales")
    assert (bank.name, bank.background) == ("Sales", "I sell.")


@pytest.mark.parametrize("bank_id", ["", "a/b", " ", "support", "x" * 201, "a\x00b"])
def test_a_bank_that_can_not_be_created_keeps_what_was_typed(acme: Tenant, client: Client, bank_id: str) -> None:
    make_bank(acme, bank_id="support")
    answer = client.post("/dashboard/new-bank/", {"bank_id": bank_id, "background": "I was typed."})
    assert answer.status_code == 422
    assert "I was typed." in answer.content.decode()
    assert "data-open" in answer.content.decode()


def test_a_used_up_quota_refuses_a_bank(acme: Tenant, client: Client) -> None:
    assign_limits(acme, banks=0)
    answer = client.post("/dashboard/new-bank/", {"bank_id": "sales"})
    assert (answer.status_code, "quota" in answer.content.decode()) == (422, True)


def test_the_first_steps_lead_to_the_first_memory(acme: Tenant, client: Client) -> None:
    assert SNIPPET in read(client)
    assert client.post("/dashboard/first-steps/key/").status_code == 302
    answer = client.get("/dashboard/")
    page = answer.content.decode()
    with tenant_transaction(acme.id):
        key = ApiKey.objects.for_tenant(acme.id).get()
    assert f"api_key=&quot;mpk_{key.prefix}" in page or f'api_key="mpk_{key.prefix}' in page
    assert "no-store" in answer["Cache-Control"]
    assert f"mpk_{key.prefix}" not in read(client)
    assert "Waiting for the first retain" in read(client, "/dashboard/first-steps/memory/")

    text = page.split('api_key="')[1].split('"')[0]
    fact = {"facts": [{"text": "Alice moved to Lisbon.", "type": "world"}]}
    stored = Client().post(
        "/v1/banks/my-agent/memories",
        {"items": [fact]},
        content_type="application/json",
        headers={"Authorization": f"Bearer {text}"},
    )
    assert stored.status_code == 200, stored.content
    part = client.get("/dashboard/first-steps/memory/", headers={"HX-Request": "true"})
    assert "Alice moved to Lisbon." in part.content.decode()
    assert part.content.decode().count("hx-swap-oob") == 3  # the ticks of the other steps
    assert "first-memory" in part["HX-Trigger"]
    assert SNIPPET not in read(client)
    assert SNIPPET in read(client, "/dashboard/?steps=1")


def test_a_memory_of_another_tenant_ends_no_first_steps(client: Client, owner: User) -> None:
    other = found_tenant(name="Other", slug="other", owner=owner)
    bank = make_bank(other, bank_id="secret")
    key, _ = make_key_with_text(other)
    make_operation(other, kind="retain", status="completed", bank=bank, api_key_prefix=key.prefix)
    make_unit(other, bank=bank, number=1, text="Mallory reads this.")
    assert "Waiting for" in read(client, "/dashboard/first-steps/memory/")


def test_the_first_steps_can_be_dismissed_for_one_tenant(acme: Tenant, client: Client, owner: User) -> None:
    other = found_tenant(name="Other", slug="other", owner=owner)
    client.post("/dashboard/first-steps/dismiss/")
    assert SNIPPET not in read(client)
    client.post("/dashboard/tenants/switch/", {"tenant": str(other.id)})
    assert SNIPPET in read(client)


def test_a_viewer_sees_neither_the_first_steps_nor_the_form(acme: Tenant) -> None:
    page = read(sign_in(join(acme, "vic@example.com", "viewer"), acme))
    assert SNIPPET not in page
    assert "new-bank" not in page


def test_the_use_of_the_plan_is_shown(acme: Tenant, client: Client) -> None:
    assign_limits(acme, banks=2)
    make_usage_day(acme)
    make_bank(acme)
    assert "1 of 2" in " ".join(read(client).split())


def test_the_demo_agent_leads_and_is_called_a_demo(acme: Tenant, client: Client) -> None:
    make_bank(acme, bank_id="juno", name="Juno")
    assert "Demo</span>" not in read(client)  # a bank of the tenant's own under the same name
    with tenant_transaction(acme.id):
        Bank.objects.for_tenant(acme.id).filter(bank_id="juno").delete()
    assert seed_demo(acme.id)
    page = read(client)
    demo = page.split('id="demo-title"')[1].split("</section>")[0]
    assert "A demo agent with sample data" in demo
    assert len(re.findall(r'href="/dashboard/banks/juno/opinions/[0-9a-f-]{36}/"', demo)) == 3
    assert "samples of the demo included" in page
