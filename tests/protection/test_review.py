"""The quarantine on the dashboard and in the admin."""

from datetime import UTC, datetime

from django.test import Client
from django.utils import timezone

from banks.models import Bank, QuarantinedItem
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.dashboard.quarantine import name_field
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import walk_texts
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_tenant, make_user
from tests.memory_factories import make_quarantined_item

PAGE = "/dashboard/quarantine/"


def read_actions(tenant: Tenant) -> list[str]:
    with tenant_transaction(tenant.id):
        rows = AuditEvent.objects.for_tenant(tenant.id).filter(action__startswith="quarantine.").order_by("id")
        return list(rows.values_list("action", flat=True))


def count_items(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return QuarantinedItem.objects.for_tenant(tenant.id).count()


def test_the_page_marks_the_reason_and_escapes_the_text(acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    make_quarantined_item(acme, bank=bank, text="Ignore<script>alert(1)</script> \u202e rules")
    page = sign_in(join(acme, "mia@example.com", "member"), acme).get(PAGE).content.decode()
    assert '<mark title="instruction">Ignore</mark>' in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "⟨U+202E⟩" in page
    assert "\u202e" not in page


def test_a_member_releases_and_deletes(acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    first, second = (make_quarantined_item(acme, bank=bank) for _ in range(2))
    client = sign_in(join(acme, "mia@example.com", "member"), acme)
    assert client.post(f"{PAGE}{first.id}/release/").status_code == 302
    assert client.post(f"{PAGE}{second.id}/delete/").status_code == 302
    assert client.post(f"{PAGE}{second.id}/delete/").status_code == 404
    assert count_items(acme) == 0
    assert read_actions(acme) == ["quarantine.released", "quarantine.deleted"]
    with tenant_transaction(acme.id):
        assert Operation.objects.for_tenant(acme.id).filter(kind="retain").count() == 1


def test_another_tenants_item_is_not_there(acme: Tenant) -> None:
    other = make_tenant("other")
    item = make_quarantined_item(other, text="Other's secret")
    client = sign_in(join(acme, "mia@example.com", "owner"), acme)
    assert "secret" not in client.get(PAGE).content.decode()
    for act in ("release", "delete"):
        assert client.post(f"{PAGE}{item.id}/{act}/").status_code == 404
    assert count_items(other) == 1


def test_staff_review_in_the_admin(acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    first, second = (make_quarantined_item(acme, bank=bank, text=f"<b>rules {at}</b>") for at in range(2))
    client = Client()
    client.force_login(make_user("staff@example.com", is_staff=True, is_superuser=True))
    address = "/admin/banks/quarantineditem/"
    assert "instruction" in client.get(address).content.decode()
    page = client.get(f"{address}{first.id}/change/").content.decode()
    assert "&lt;b&gt;rules 0" in page
    for action, row in (("release_selected", first), ("delete_selected_items", second)):
        assert client.post(address, {"action": action, "_selected_action": [str(row.id)]}).status_code == 302
    assert count_items(acme) == 0
    assert read_actions(acme) == ["quarantine.released", "quarantine.deleted"]


def hold(tenant: Tenant, bank: Bank) -> None:
    with tenant_transaction(tenant.id):
        Bank.objects.for_tenant(tenant.id).filter(id=bank.id).update(held_since=timezone.now(), hold_reason="Case 7")


def test_an_item_of_a_held_bank_is_not_deleted(acme: Tenant) -> None:
    bank = make_bank(acme, bank_id="support")
    item = make_quarantined_item(acme, bank=bank)
    hold(acme, bank)
    refused = Caller(make_key_with_text(acme)[1])("DELETE", f"/v1/banks/support/quarantine/{item.id}")
    assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
    client = sign_in(join(acme, "mia@example.com", "member"), acme)
    page = client.post(f"{PAGE}{item.id}/delete/", follow=True).content.decode()
    assert "legal hold" in page
    staff = Client()
    staff.force_login(make_user("staff@example.com", is_staff=True, is_superuser=True))
    chosen = {"action": "delete_selected_items", "_selected_action": [str(item.id)]}
    assert "legal hold" in staff.post("/admin/banks/quarantineditem/", chosen, follow=True).content.decode()
    assert (count_items(acme), read_actions(acme)) == (1, [])


def test_a_review_in_the_admin_is_recorded_with_the_address(acme: Tenant) -> None:
    item = make_quarantined_item(acme, bank=make_bank(acme, bank_id="support"))
    staff = Client(REMOTE_ADDR="203.0.113.9")
    staff.force_login(make_user("staff@example.com", is_staff=True, is_superuser=True))
    chosen = {"action": "delete_selected_items", "_selected_action": [str(item.id)]}
    staff.post("/admin/banks/quarantineditem/", chosen)
    with tenant_transaction(acme.id):
        assert AuditEvent.objects.for_tenant(acme.id).get(action="quarantine.deleted").address == "203.0.113.9"


def test_every_text_of_an_item_has_its_name_in_the_api() -> None:
    said = GivenMessage("user", "Hello", datetime.now(UTC), name="Ana")
    item = RetainItem(datetime.now(UTC), messages=(said,), context="call", metadata={"k": "v"})
    names = dict(walk_texts(item))
    assert names["messages.0.content"] == "Hello"
    assert names["messages.0.name"] == "Ana"
    assert names["context"] == "call"
    assert names["metadata.0"] == "v"
    assert "messages.0.role" not in names


def test_the_page_names_fields_in_words() -> None:
    assert [name_field(one) for one in ("messages.0.content", "messages.1.name", "tags.2", "text")] == [
        "message 1", "message 2, name", "tag 3", "text"
    ]  # fmt: skip
