"""The list of operations with its filters, the page of one, and its cancelling and retrying."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memoryplatform.dashboard import operations as pages
from memoryplatform.dashboard.templatetags.dashboard import duration
from memoryplatform.operations.models import Dispatch, Operation
from memoryplatform.operations.running import kind_names
from tenants.models import AuditEvent, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, sign_in
from tests.accounts.test_overview import count_queries, read
from tests.factories import make_bank, make_operation, make_tenant
from tests.memory_factories import make_unit


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def make_running(tenant: Tenant, **fields: object) -> Operation:
    usual = {"kind": "retain", "status": "processing", "lease_until": timezone.now() + timedelta(minutes=5)}
    return make_operation(tenant, **usual | fields)


def read_status(operation: Operation) -> str:
    with tenant_transaction(operation.tenant_id):
        return Operation.objects.for_tenant(operation.tenant_id).get(id=operation.id).status


def test_every_kind_has_a_title() -> None:
    names = {value for name, value in vars(kind_names).items() if name.isupper()}
    assert set(pages.TITLES) == names


def test_the_list_shows_progress_and_asks_again_while_something_runs(acme: Tenant, client: Client) -> None:
    assert "No operations yet" in read(client, "/dashboard/operations/")
    make_operation(acme, kind="retain", status="completed")
    assert "every 3s" not in read(client, "/dashboard/operations/")
    make_running(acme, total=10, processed=4, stage="extracting")
    page = read(client, "/dashboard/operations/")
    assert "every 3s" in page
    assert 'value="4" max="10"' in page
    assert "extracting" in page


def test_an_operation_for_later_is_scheduled_and_not_asked_for_again(acme: Tenant, client: Client) -> None:
    row = make_operation(acme, kind="tend_bank")
    Dispatch.objects.create(
        operation_id=row.id, tenant_id=acme.id, queue="background", due_at=timezone.now() + timedelta(hours=8)
    )
    page = read(client, "/dashboard/operations/")
    assert "Scheduled" in page
    assert "every 3s" not in page


def test_filters_by_state_kind_and_bank(acme: Tenant, client: Client) -> None:
    bank = make_bank(acme, bank_id="support")
    failed = make_operation(acme, kind="import_bank", status="failed", bank=bank)
    done = make_operation(acme, kind="retain", status="completed")
    delivery = make_operation(acme, kind="deliver_webhook", status="completed")
    for query, expected in {
        "": {failed, done},
        "status=failed": {failed},
        "kind=retain": {done},
        "bank=support": {failed},
        "status=failed&bank=support&kind=import_bank": {failed},
        "status=failed&kind=retain": set(),
        "kind=deliver_webhook": {delivery},
        "status=nonsense&kind=%27&before=x": {failed, done},
        "bank=%00": {failed, done},
    }.items():
        page = read(client, f"/dashboard/operations/?{query}")
        shown = {one for one in (failed, done, delivery) if str(one.id) in page}
        assert shown == expected, query


def test_older_ones_are_on_the_next_page(acme: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGE_SIZE", 2)
    rows = [make_operation(acme, kind="retain", status=status) for status in ("completed", "failed", "completed")]
    oldest, middle, newest = (str(row.id) for row in rows)
    page = read(client, "/dashboard/operations/")
    assert (newest in page, oldest in page) == (True, False)
    page = read(client, f"/dashboard/operations/?before={middle}")
    assert (newest in page, oldest in page) == (False, True)


def test_more_operations_take_no_more_queries(acme: Tenant, client: Client) -> None:
    make_running(acme)
    few = count_queries(client, "/dashboard/operations/")
    for _ in range(5):
        make_running(acme)
    assert count_queries(client, "/dashboard/operations/") <= few


def test_the_page_of_an_operation(acme: Tenant, client: Client) -> None:
    started = timezone.now() - timedelta(seconds=90)
    row = make_operation(
        acme,
        kind="retain",
        status="failed",
        attempts=3,
        started_at=started,
        finished_at=started + timedelta(seconds=75),
        error_code="llm_unavailable",
        error_detail="<script>alert(1)</script> The model did not answer.",
        payload={"sources": [1, 2, 3], "bytes": 120, "text": "x" * 30_000},
    )
    page = read(client, f"/dashboard/operations/{row.id}/")
    for words in (
        "llm_unavailable",
        "The model did not answer.",
        ">Texts</dt>",
        "1 min 15 s",
        "Retry",
        "Show all of it",
    ):
        assert words in page, words
    assert "<script>alert" not in page
    assert len(read(client, f"/dashboard/operations/{row.id}/?all=1")) > len(page) + 5_000


def test_an_operation_of_another_tenant_is_not_found(client: Client) -> None:
    foreign = make_operation(make_tenant(), kind="retain", status="failed")
    for answer in (
        client.get(f"/dashboard/operations/{foreign.id}/"),
        client.post(f"/dashboard/operations/{foreign.id}/retry/"),
        client.post(f"/dashboard/operations/{foreign.id}/cancel/"),
        client.post(f"/dashboard/operations/{UUID(int=1)}/cancel/"),
    ):
        assert answer.status_code == 404
    assert read_status(foreign) == "failed"
    assert str(foreign.id) not in read(client, "/dashboard/operations/")


def test_a_member_cancels_and_retries(acme: Tenant) -> None:
    client = sign_in(join(acme, "mia@example.com", "member"), acme)
    row = make_running(acme)
    answer = client.post(f"/dashboard/operations/{row.id}/cancel/", follow=True)
    assert "The operation is cancelled." in answer.content.decode()
    assert read_status(row) == "cancelled"
    client.post(f"/dashboard/operations/{row.id}/retry/")
    assert read_status(row) == "pending"
    with tenant_transaction(acme.id):
        events = AuditEvent.objects.for_tenant(acme.id).filter(target=f"operation:{row.id}").order_by("id")
        assert [(one.action, one.user_id is not None) for one in events] == [
            ("operation.cancelled", True),
            ("operation.retried", True),
        ]


def test_an_act_that_comes_too_late_says_so(acme: Tenant, client: Client) -> None:
    row = make_operation(acme, kind="retain", status="completed")
    for act in ("cancel", "retry"):
        answer = client.post(f"/dashboard/operations/{row.id}/{act}/", follow=True)
        assert "The operation is completed" in answer.content.decode()


def test_a_viewer_sees_no_buttons(acme: Tenant) -> None:
    row = make_operation(acme, kind="retain", status="failed")
    page = read(sign_in(join(acme, "vic@example.com", "viewer"), acme), f"/dashboard/operations/{row.id}/")
    assert "/retry/" not in page


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, ""), (0.34, "340 ms"), (4.24, "4.2 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")]
)
def test_the_words_of_a_duration(seconds: float | None, words: str) -> None:
    assert duration(None if seconds is None else timedelta(seconds=seconds)) == words


def test_the_page_of_a_retain_shows_the_memories_that_it_changed(acme: Tenant, client: Client) -> None:
    bank = make_bank(acme, bank_id="support")
    old, new = (make_unit(acme, bank=bank, text=text) for text in ("Ana lives in Porto.", "Ana lives in Lisbon."))
    changes = [
        {"memory_id": str(old.id), "change": "ended", "superseded_by": str(new.id)},
        {"memory_id": str(uuid4()), "change": "merged", "superseded_by": None},
    ]
    row = make_operation(acme, kind="retain", status="completed", bank=bank, result={"changes": changes})
    page = read(client, f"/dashboard/operations/{row.id}/")
    assert f'href="/dashboard/banks/support/memories/{old.id}/">Ana lives in Porto.</a>' in page
    assert f'href="/dashboard/banks/support/memories/{new.id}/"' in page
    assert "deleted" in page
    assert f"&quot;memory_id&quot;: &quot;{old.id}&quot;" in page
