"""Pages of webhooks: create, secret, switch, ping, delivery log, replay, delete."""

from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memoryplatform.dashboard import webhooks as pages
from tenants.models import Delivery, Tenant, User, Webhook
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import sign_in
from tests.accounts.test_overview import count_queries, read
from tests.factories import make_bank, make_delivery, make_tenant, make_webhook

NEW = {"url": "https://93.184.216.34/hook", "name": "Our server", "events": ["memories.retained", "opinion.changed"]}


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def find(tenant: Tenant) -> list[Webhook]:
    with tenant_transaction(tenant.id):
        return list(Webhook.objects.for_tenant(tenant.id).order_by("id"))


def find_deliveries(tenant: Tenant) -> list[Delivery]:
    with tenant_transaction(tenant.id):
        return list(Delivery.objects.for_tenant(tenant.id).order_by("id"))


def test_a_webhook_is_created_and_its_secret_shown_once(acme: Tenant, client: Client) -> None:
    make_bank(acme, bank_id="support")
    answer = client.post("/dashboard/webhooks/", NEW | {"bank_id": "support"}, follow=True)
    (made,) = find(acme)
    assert (made.name, made.bank_id, sorted(made.events)) == ("Our server", "support", sorted(NEW["events"]))
    assert made.secret in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    for path in ("/dashboard/webhooks/", f"/dashboard/webhooks/{made.id}/"):
        page = read(client, path)
        assert "Our server" in page
        assert made.secret not in page


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://example.com"},
        {"url": "http://127.0.0.1/"},
        {"url": ""},
        {"events": []},
        {"events": ["nonsense"]},
        {"bank_id": "not-there"},
    ],
)
def test_a_webhook_that_can_not_be_created_keeps_what_was_typed(
    acme: Tenant, client: Client, wrong: dict[str, object]
) -> None:
    answer = client.post("/dashboard/webhooks/", NEW | wrong)
    assert answer.status_code == 422
    assert "Our server" in answer.content.decode()
    assert find(acme) == []


def test_a_webhook_is_changed_renewed_switched_and_deleted(acme: Tenant, client: Client) -> None:
    row = make_webhook(acme, name="Old", secret="whsec_b2xk", enabled=False, disabled_at=timezone.now())
    path = f"/dashboard/webhooks/{row.id}/"
    assert "Every attempt failed for three days" in read(client, path)
    client.post(f"{path}switch/", {"enabled": "yes"})
    assert (find(acme)[0].enabled, find(acme)[0].disabled_at) == (True, None)
    client.post(path, NEW)
    assert (find(acme)[0].name, find(acme)[0].url) == ("Our server", NEW["url"])
    assert client.post(path, NEW | {"url": "nonsense"}).status_code == 422
    renewed = client.post(f"{path}secret/", follow=True).content.decode()
    assert find(acme)[0].secret != "whsec_b2xk"
    assert find(acme)[0].secret in renewed
    client.post(f"{path}switch/", {"enabled": "no"})
    assert not find(acme)[0].enabled
    client.post(f"{path}delete/")
    assert find(acme) == []


def test_a_ping_is_in_the_log_and_can_be_sent_again(acme: Tenant, client: Client) -> None:
    row = make_webhook(acme)
    path = f"/dashboard/webhooks/{row.id}/"
    assert "No delivery yet" in read(client, path)
    client.post(f"{path}ping/")
    (sent,) = find_deliveries(acme)
    page = read(client, path)
    assert "ping" in page
    assert "every 4s" in page
    with tenant_transaction(acme.id):
        Delivery.objects.for_tenant(acme.id).update(status="failed", attempts=9, error="No answer in 10 s.")
    assert "No answer in 10 s." in read(client, path)
    client.post(f"{path}deliveries/{sent.id}/replay/")
    assert [one.id for one in find_deliveries(acme)] == [sent.id]


def test_the_log_is_filtered_and_has_pages(acme: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 2)
    row = make_webhook(acme)
    path = f"/dashboard/webhooks/{row.id}/"
    rows = [make_delivery(acme, webhook=row, status=one) for one in ("failed", "delivered", "delivered")]
    oldest, middle, newest = (f"replay-{one.id}" for one in rows)
    assert oldest not in read(client, path)
    assert oldest in read(client, f"{path}?before={rows[1].id}")
    failed = read(client, f"{path}?status=failed")
    assert [one in failed for one in (oldest, middle, newest)] == [True, False, False]
    assert newest in read(client, f"{path}?status=nonsense&before=nonsense")


def test_more_deliveries_take_no_more_queries(acme: Tenant, client: Client) -> None:
    row = make_webhook(acme)
    make_delivery(acme, webhook=row)
    few = count_queries(client, f"/dashboard/webhooks/{row.id}/")
    for _ in range(4):
        make_delivery(acme, webhook=row)
    assert count_queries(client, f"/dashboard/webhooks/{row.id}/") <= few


def test_a_webhook_of_another_tenant_is_not_found(acme: Tenant, client: Client) -> None:
    other = make_tenant()
    foreign = make_webhook(other, name="Foreign")
    delivery = make_delivery(other, webhook=foreign, status="failed")
    path = f"/dashboard/webhooks/{foreign.id}/"
    assert "Foreign" not in read(client, "/dashboard/webhooks/")
    assert client.get(path).status_code == 404
    for act in ("", "secret/", "switch/", "ping/", "delete/", f"deliveries/{delivery.id}/replay/"):
        assert client.post(f"{path}{act}", NEW).status_code == 404, act
    own = make_webhook(acme)
    for missing in (delivery.id, uuid4()):
        assert client.post(f"/dashboard/webhooks/{own.id}/deliveries/{missing}/replay/").status_code == 404
    assert [one.name for one in find(other)] == ["Foreign"]
