"""Overview, operations, usage and webhooks with plenty of content, and the journeys through them."""

import math
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import Page, expect

from banks.models import Corpus, CorpusStatistics
from memoryplatform.operations.models import Operation
from tenants.models import Delivery, Tenant, UsageDay
from tenants.transactions import tenant_transaction
from tests.browser.checking import check_page
from tests.browser.conftest import SignIn
from tests.factories import assign_limits, make_api_key, make_bank, make_delivery, make_operation, make_webhook
from tests.memory_factories import make_recall_record, make_row, make_unit

BANKS = {
    "support": "Support agent",
    "sales": "Sales assistant",
    "onboarding": "Onboarding guide",
    "عملاء": "وكيل الدعم",
}


def fill(tenant: Tenant) -> None:
    """Some weeks of work of four agents."""
    now = timezone.now()
    assign_limits(tenant, memories=2_000, banks=5, stored_bytes=50_000_000, llm_tokens_per_month=1_000_000, members=10)
    keys = [make_api_key(tenant, name=name) for name in ("Production", "Staging")]
    for place, (bank_id, name) in enumerate(BANKS.items()):
        bank = make_bank(tenant, bank_id=bank_id, name=name)
        for number in range(40 - 9 * place):
            said = now - timedelta(days=(number * (place + 3)) % 30, hours=number)
            make_unit(tenant, bank=bank, number=number, mentioned_at=said)
        make_row(CorpusStatistics, tenant, bank=bank, corpus=Corpus.UNIT, texts=4_210 // (place + 1))
        for days_ago in range(14):
            total = 40 + 12 * place + 15 * math.sin(days_ago) + days_ago
            make_recall_record(
                tenant, bank=bank, milliseconds={"total": total}, recalled_at=now - timedelta(days=days_ago, minutes=5)
            )
        for days_ago in range(30):
            wave = 1 + math.sin(days_ago / 4 + place)
            for kind, share in (("recall", 1.0), ("retain", 0.4), ("reflect", 0.15)):
                make_row(
                    UsageDay,
                    tenant,
                    day=(now - timedelta(days=days_ago)).date(),
                    kind=kind,
                    bank_id=bank_id,
                    api_key_prefix=keys[place % 2].prefix,
                    requests=int(90 * wave * share) + place,
                    memories=int(30 * wave) if kind == "retain" else 0,
                )
        with tenant_transaction(tenant.id):
            UsageDay.objects.for_tenant(tenant.id).create(
                day=now.date(), kind="reflect", bank_id=bank_id, service="llm", model="gpt-5-mini",
                input_tokens=48_000, output_tokens=6_100, calls=31,
            )  # fmt: skip
        work(tenant, bank=bank)


def work(tenant: Tenant, **fields: Any) -> list[Operation]:
    now = timezone.now()
    started = {"started_at": now - timedelta(seconds=83), "attempts": 1}
    ended = started | {"finished_at": now - timedelta(seconds=79)}
    lease = now + timedelta(minutes=5)
    rows: list[dict[str, Any]] = [
        {"kind": "retain", "status": "completed", **ended, "result": {"memories": 12}},
        {"kind": "consolidate", "status": "completed", **ended},
        {"kind": "clone_bank", "status": "processing", "lease_until": lease, **started,
         "total": 1_200, "processed": 860, "stage": "memories"},
        {"kind": "retain", "status": "failed", **ended, "attempts": 3, "error_code": "llm_unavailable",
         "error_detail": "The model answered 503 three times: the service is overloaded.",
         "payload": {"sources": [{"message": "m-1"}, {"message": "m-2"}], "bytes": 5_120}},
        {"kind": "tend_bank", "status": "cancelled", **ended},
    ]  # fmt: skip
    return [make_operation(tenant, **row | fields) for row in rows]


def test_the_overview(page: Page, signed_in: SignIn) -> None:
    fill(signed_in(page))
    page.goto("/dashboard/?steps=1")
    expect(page.locator("[data-chart] canvas")).to_have_count(2)
    check_page(page, "overview-with-steps")
    page.goto("/dashboard/")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("heading", name="First steps")).to_have_count(0)
    check_page(page, "overview")


def test_a_new_bank_is_made_in_a_dialog(page: Page, signed_in: SignIn, expected_statuses: set[int]) -> None:
    expected_statuses.add(422)
    signed_in(page)
    page.goto("/dashboard/")
    check_page(page, "overview-empty")
    page.get_by_role("button", name="New bank").first.click()
    dialog = page.get_by_role("dialog", name="New bank")
    dialog.get_by_label("Id", exact=True).fill("a/b")
    dialog.get_by_label("Background").fill("I help customers of Acme.")
    dialog.get_by_role("button", name="Create bank").click()
    expect(dialog.get_by_text("without slashes")).to_be_visible()
    expect(dialog.get_by_label("Background")).to_have_value("I help customers of Acme.")
    check_page(page, "overview-new-bank")
    dialog.get_by_label("Id", exact=True).fill("support")
    dialog.get_by_role("button", name="Create bank").click()
    expect(page.get_by_text("The bank support is ready.")).to_be_visible()
    expect(page.get_by_role("heading", name="This memory is empty")).to_be_visible()
    check_page(page, "bank-empty")


def test_the_first_steps_show_the_first_memory_by_themselves(page: Page, signed_in: SignIn) -> None:
    signed_in(page)
    page.goto("/dashboard/")
    page.get_by_role("button", name="Create a key").click()
    snippet = page.locator("#first-snippet").inner_text()
    check_page(page, "overview-first-key")
    key = snippet.split('api_key="')[1].split('"')[0]
    fact = {"facts": [{"text": "Alice moved to Lisbon in March 2024.", "type": "world"}]}
    stored = page.request.post(
        "/v1/banks/my-agent/memories", data={"items": [fact]}, headers={"Authorization": f"Bearer {key}"}
    )
    assert stored.status == 200
    expect(page.get_by_text("Your first memory is here")).to_be_visible()
    expect(page.get_by_text("Alice moved to Lisbon in March 2024.").last).to_be_visible()
    expect(page.locator("#step-2")).to_contain_text("done")
    expect(page.locator("#step-3")).to_contain_text("done")
    expect(page.locator("#figures").get_by_role("link", name="my-agent")).to_be_visible()


def test_operations_move_while_one_looks(page: Page, signed_in: SignIn) -> None:
    tenant = signed_in(page)
    bank = make_bank(tenant, bank_id="support", name="Support agent")
    rows = work(tenant, bank=bank)
    page.goto("/dashboard/operations/")
    expect(page.get_by_text("860 of 1,200")).to_be_visible()
    check_page(page, "operations")
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).filter(id=rows[2].id).update(processed=1_100)
    expect(page.get_by_text("1,100 of 1,200")).to_be_visible()
    page.get_by_label("Kind").select_option(label="Clone bank")
    expect(page.get_by_role("link", name="Retain")).to_have_count(0)
    assert "kind=clone_bank" in page.url
    page.goto("/dashboard/operations/?status=failed")
    page.get_by_role("link", name="Retain").click()
    expect(page.get_by_text("the service is overloaded")).to_be_visible()
    check_page(page, "operation-failed")
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("The operation starts again")).to_be_visible()
    page.goto(f"/dashboard/operations/{rows[2].id}/")
    check_page(page, "operation-running")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel operation").click()
    expect(page.get_by_text("The operation is cancelled.")).to_be_visible()


def test_usage_by_bank_and_by_kind(page: Page, signed_in: SignIn) -> None:
    fill(signed_in(page))
    page.goto("/dashboard/usage/?by=bank")
    expect(page.locator("[data-chart] canvas")).to_be_visible()
    check_page(page, "usage-by-bank")
    page.get_by_role("link", name="New memories").click()
    page.get_by_label("Grouped by").select_option(label="By kind")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="New memories by day")).to_be_visible()
    check_page(page, "usage-by-kind")


def test_a_webhook_from_its_creation_to_a_replay(page: Page, signed_in: SignIn) -> None:
    tenant = signed_in(page)
    page.goto("/dashboard/webhooks/")
    check_page(page, "webhooks-empty")
    page.get_by_label("Address").fill("https://93.184.216.34/hooks/memory")
    page.get_by_label("Name").fill("Our CRM")
    page.get_by_label("memories.retained").check()
    page.get_by_label("opinion.changed").check()
    page.get_by_role("button", name="Add webhook").click()
    assert page.locator("#webhook-secret").inner_text().startswith("whsec_")
    check_page(page, "webhook-new")
    page.get_by_role("link", name="Webhooks").first.click()
    page.get_by_role("link", name="Our CRM").click()
    page.get_by_role("button", name="Send a ping").click()
    expect(page.get_by_role("status").get_by_text("A ping is on its way.")).to_be_visible()
    with tenant_transaction(tenant.id):
        Delivery.objects.for_tenant(tenant.id).update(
            status="failed", attempts=9, answer_code=502, error="502 Bad Gateway"
        )
    expect(page.get_by_text("502 Bad Gateway")).to_be_visible()
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_text("sent once more")).to_be_visible()


def test_webhooks_in_every_state(page: Page, signed_in: SignIn) -> None:
    tenant, now = signed_in(page), timezone.now()
    make_webhook(tenant, name="Our CRM", events=["memories.retained", "opinion.changed"], bank_id="support")
    make_webhook(tenant, name="Paused", enabled=False)
    broken = make_webhook(
        tenant, name="Data warehouse", enabled=False, failing_since=now - timedelta(days=3), disabled_at=now
    )
    make_delivery(tenant, webhook=broken, status="delivered", attempts=1, answer_code=204, bank_id="support")
    make_delivery(
        tenant, webhook=broken, status="failed", attempts=9, error="The server did not answer within 10 seconds.",
        event="memories.retained", data={"operation_id": "01a1eb98", "memories": 12},
    )  # fmt: skip
    page.goto("/dashboard/webhooks/")
    check_page(page, "webhooks")
    page.get_by_role("link", name="Data warehouse").click()
    page.get_by_text("memories.retained").first.click()
    check_page(page, "webhook-disabled")
    page.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Events are sent again")).to_be_visible()


def test_tables_that_do_not_fit_become_cards_or_show_that_they_go_on(page: Page, signed_in: SignIn) -> None:
    fill(signed_in(page, "owner"))
    for width in (380, 768, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/dashboard/operations/")
        cancel = page.get_by_role("button", name="Cancel", exact=True).first
        expect(cancel).to_be_in_viewport(ratio=1)
        frame = page.get_by_role("region", name="Operations", exact=True)
        assert frame.evaluate("one => one.scrollWidth <= one.clientWidth"), width
        for one in page.locator("#operations td:first-child code").all()[:3]:
            assert one.evaluate("one => one.getClientRects().length") == 1, width  # the id is on one line
    page.set_viewport_size({"width": 768, "height": 900})
    page.goto("/dashboard/usage/")
    frame = page.get_by_role("region", name="Usage", exact=True)
    assert frame.evaluate("one => one.scrollWidth > one.clientWidth")
    assert "scroll" in frame.evaluate(
        "one => getComputedStyle(one).backgroundAttachment"
    )  # the shadow stays at the side
