"""Quotas: exact under concurrent writers, refused with 402, and told to the owners before that."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core import mail
from django.db import connections
from pytest_django.fixtures import Settings

from banks.models import Bank, Document, MemoryUnit, Message
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.transfer.export import submit_clone, write_lines
from memoryplatform.operations.transfer.receive import import_part
from reflection.opinions.claims import CandidateOpinion
from tenants.memberships import found_tenant
from tenants.models import Delivery, Invitation, StorageChange, Tenant, User
from tenants.plans import read_limits
from tenants.quotas import measure_use
from tenants.transactions import QuotaExceeded, tenant_transaction
from tenants.usage import add_up_storage
from tests.accounts.conftest import join, sign_in
from tests.api.conftest import Caller
from tests.factories import assign_limits, make_bank, make_key_with_text, make_webhook, perform_mails
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.memory_factories import make_unit
from tests.reflection.opinions.believing import try_to_form

__all__ = ["llm"]
WRITERS = 16
HELD_AT_ONCE = 10  # transactions; the pool has 20 connections, of which recall's threads may keep 8


@pytest.fixture
def call(acme: Tenant) -> Caller:
    return Caller(make_key_with_text(acme, scopes=["admin"])[1])


def retain(call: Caller, *texts: str, waits: bool = True, **headers: str) -> Any:
    items = [{"facts": [{"text": text, "type": "world"} for text in texts]}]
    return call("POST", "/v1/banks/support/memories", {"items": items, "async": not waits}, **headers)


def find_use(tenant: Tenant) -> dict[str, int]:
    with tenant_transaction(tenant.id):
        return {one.quota: one.used for one in measure_use(tenant.id, read_limits(tenant.id))}


def count_rows(tenant: Tenant) -> dict[str, int]:
    """The same, counted in the tables themselves."""
    with tenant_transaction(tenant.id):
        units = MemoryUnit.objects.for_tenant(tenant.id)
        texts = [
            *units.values_list("text", flat=True),
            *Message.objects.for_tenant(tenant.id).values_list("content", flat=True),
            *Document.objects.for_tenant(tenant.id).values_list("text", flat=True),
        ]
        banks = Bank.objects.for_tenant(tenant.id).live().count()
        return {"memories": units.count(), "stored_bytes": sum(len(one.encode()) for one in texts), "banks": banks}


def read_bank(tenant: Tenant) -> Bank:
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).get(bank_id="support")


def export(tenant: Tenant) -> bytes:
    return b"".join(write_lines(read_bank(tenant), vectors=True))


def check_counts(tenant: Tenant) -> None:
    counted = count_rows(tenant)
    assert {name: find_use(tenant)[name] for name in counted} == counted


def run_at_once(act: Callable[[int], int], *, writers: int = WRITERS) -> list[int]:
    """The statuses of all writers, who begin at the same moment."""
    barrier = Barrier(writers, timeout=30)

    def work(number: int) -> int:
        barrier.wait()
        try:
            return act(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(work, range(writers)))


def test_sixteen_writers_store_exactly_the_limit(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=10)
    statuses = run_at_once(
        lambda number: (
            Caller(call.key)(
                "POST",
                f"/v1/banks/bank-{number % 4}/memories",
                {"items": [{"facts": [{"text": f"Room {number} is painted green.", "type": "world"}]}]},
            ).status_code
        )
    )
    assert sorted(statuses) == [200] * 10 + [402] * 6
    assert find_use(acme)["memories"] == 10
    check_counts(acme)


@pytest.fixture
def slow_commits(committed_db: None) -> Iterator[None]:
    """Commits that take a moment after the check of the quota, so that checks without a lock would overlap."""
    tables = ("tenants_storagechange", "banks_bank")
    wait = "BEGIN PERFORM pg_sleep(0.05); RETURN NULL; END"
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"CREATE FUNCTION wait_a_moment() RETURNS trigger LANGUAGE plpgsql AS $$ {wait} $$")
        for table in tables:
            cursor.execute(
                f"CREATE CONSTRAINT TRIGGER z_wait AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED "
                "FOR EACH ROW EXECUTE FUNCTION wait_a_moment()"
            )
        yield
        for table in tables:
            cursor.execute(f"DROP TRIGGER z_wait ON {table}")
        cursor.execute("DROP FUNCTION wait_a_moment")


@pytest.mark.usefixtures("slow_commits")
@pytest.mark.parametrize("quota", ["memories", "banks"])
def test_transactions_that_commit_at_once_keep_the_limit(acme: Tenant, quota: str) -> None:
    """Every transaction has written its row before the first one commits, so none sees the row of another."""
    banks = [make_bank(acme) for _ in range(HELD_AT_ONCE)]
    assign_limits(acme, **{quota: find_use(acme)[quota] + 6})
    written = Barrier(HELD_AT_ONCE, timeout=30)

    def write(number: int) -> int:
        try:
            with tenant_transaction(acme.id):
                if quota == "memories":
                    make_unit(acme, bank=banks[number])
                else:
                    make_bank(acme)
                written.wait()
        except QuotaExceeded:
            return 402
        return 200

    assert sorted(run_at_once(write, writers=HELD_AT_ONCE)) == [200] * 6 + [402] * 4
    check_counts(acme)


def test_sixteen_callers_create_exactly_the_allowed_banks(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, banks=5)
    statuses = run_at_once(
        lambda number: Caller(call.key)("POST", "/v1/banks", {"bank_id": f"bank-{number}"}).status_code
    )
    assert sorted(statuses) == [201] * 5 + [402] * 11
    check_counts(acme)


def test_sixteen_invitations_fill_exactly_the_seats(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, members=4)  # one is the owner
    statuses = run_at_once(
        lambda number: (
            Caller(call.key)(
                "POST", "/v1/account/invitations", {"email": f"p{number}@example.com", "role": "viewer"}
            ).status_code
        )
    )
    assert sorted(statuses) == [201] * 3 + [402] * 13
    assert find_use(acme)["members"] == 4
    with tenant_transaction(acme.id):
        assert Invitation.objects.for_tenant(acme.id).count() == 3


def test_a_refusal_names_quota_limit_and_use(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=1)
    assert retain(call, "Alice likes tea.").status_code == 200
    refused = retain(call, "Bob likes coffee.")
    assert refused.status_code == 402
    body = refused.json()
    assert {name: body[name] for name in ("code", "quota", "limit", "used")} == {
        "code": "quota_exceeded",
        "quota": "memories",
        "limit": 1,
        "used": 1,
    }
    assert set(body) == {"code", "quota", "limit", "used", "detail", "request_id"}
    assert count_rows(acme)["memories"] == 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/default/banks/support/memories", {"items": [{"content": "Bob likes coffee."}]}),
        ("/v1/memories/", {"messages": [{"role": "user", "content": "I like coffee."}], "user_id": "bob"}),
    ],
)
def test_the_routes_of_other_clients_refuse_too(acme: Tenant, call: Caller, path: str, body: Any) -> None:
    assign_limits(acme, memories=0)
    answer = call("POST", path, body)
    assert answer.status_code == 402
    assert "memories" in answer.json()["detail"]


def test_reading_exporting_and_deleting_work_above_the_limit(acme: Tenant, call: Caller) -> None:
    made = retain(call, "Alice likes tea.", "Bob likes coffee.").json()["unit_ids"]
    assign_limits(acme, memories=1, banks=0, stored_bytes=0, llm_tokens_per_month=0, members=0)
    assert retain(call, "Carol likes milk.").status_code == 402
    assert call("POST", "/v1/banks/support/memories/recall", {"query": "Who likes tea?"}).status_code == 200
    assert call("GET", "/v1/banks/support/memories").status_code == 200
    assert b"Alice likes tea." in export(acme)
    assert call("DELETE", f"/v1/banks/support/memories/{made[0]}").status_code == 200
    check_counts(acme)


def test_deletion_gives_room_back(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=1, banks=1)
    (made,) = retain(call, "Alice likes tea.").json()["unit_ids"]
    assert retain(call, "Bob likes coffee.").status_code == 402
    call("DELETE", f"/v1/banks/support/memories/{made}")
    assert retain(call, "Bob likes coffee.").status_code == 200
    assert call("POST", "/v1/banks", {"bank_id": "other"}).status_code == 402
    deleted = call("DELETE", "/v1/banks/support").json()
    assert call("POST", "/v1/banks", {"bank_id": "other"}).status_code == 201
    perform(acme.id, deleted["operation_id"])
    assert find_use(acme)["memories"] == find_use(acme)["stored_bytes"] == 0


def test_an_operation_that_finds_no_room_keeps_its_source_and_can_be_retried(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=1)
    accepted = retain(call, "Alice likes tea.", "Bob likes coffee.", waits=False).json()
    perform(acme.id, accepted["operation_id"])
    failed = call("GET", f"/v1/operations/{accepted['operation_id']}").json()
    assert (failed["status"], failed["error"]["code"]) == ("failed", "quota_exceeded")
    assert failed["result"] == {"quota": "memories", "limit": 1, "used": 0}
    assign_limits(acme, memories=2)
    call("POST", f"/v1/operations/{accepted['operation_id']}/retry")
    perform(acme.id, accepted["operation_id"])
    assert count_rows(acme)["memories"] == 2


def test_the_same_call_succeeds_after_an_upgrade(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=1)
    texts = ("Alice likes tea.", "Bob likes coffee.")
    assert retain(call, *texts, Idempotency_Key="once").status_code == 402
    assign_limits(acme, memories=2)
    answer = retain(call, *texts, Idempotency_Key="once")
    assert (answer.json()["status"], count_rows(acme)["memories"]) == ("completed", 2)
    with tenant_transaction(acme.id):
        assert Operation.objects.for_tenant(acme.id).filter(kind="retain").count() == 1


def test_bytes_are_counted_in_every_table_and_refused(acme: Tenant, call: Caller) -> None:
    for text in ("Zoë moved to Łódź.", "Zoë moved to Rome in May."):
        call("POST", "/v1/banks/support/memories", {"items": [{"content": text, "document_id": "a"}]})
    said = [{"role": "user", "content": "I live in Lisbon.", "timestamp": "2026-05-01T10:00:00Z"}]
    call("POST", "/v1/banks/support/memories", {"items": [{"messages": said}]})
    check_counts(acme)
    assign_limits(acme, stored_bytes=find_use(acme)["stored_bytes"] + 10)
    refused = call("POST", "/v1/banks/support/memories", {"items": [{"content": "More than ten bytes of text."}]})
    assert (refused.status_code, refused.json()["quota"]) == (402, "stored_bytes")
    call("DELETE", "/v1/banks/support/documents/a")
    check_counts(acme)


def test_an_import_and_a_clone_are_refused_whole(acme: Tenant, call: Caller) -> None:
    retain(call, "Alice likes tea.", "Bob likes coffee.")
    exported = export(acme)
    assign_limits(acme, memories=3)
    with pytest.raises(QuotaExceeded, match="3 memories"):
        import_part(BankAccess(acme.id), "copy", exported, first_line=1)
    cloned = submit_clone(BankAccess(acme.id), "support", target="copy")
    perform(acme.id, cloned.id)
    assert call("GET", f"/v1/operations/{cloned.id}").json()["error"]["code"] == "quota_exceeded"
    assert call("GET", "/v1/banks/copy").status_code == 404
    check_counts(acme)


def retain_opinion(call: Caller, text: str) -> int:
    opinion = {"text": text, "type": "opinion", "confidence": 0.7}
    return int(call("POST", "/v1/banks/support/memories", {"items": [{"facts": [opinion]}]}).status_code)


def test_every_memory_counts_whatever_its_network(acme: Tenant, call: Caller) -> None:
    assign_limits(acme, memories=3)
    assert retain_opinion(call, "I think tea is best.") == 200
    make_unit(acme, bank=read_bank(acme), network="observation")
    check_counts(acme)
    retain(call, "Alice likes tea.")
    assert find_use(acme)["memories"] == 3
    assert retain_opinion(call, "I think coffee is best.") == 402
    with tenant_transaction(acme.id):
        (opinion,) = MemoryUnit.objects.for_tenant(acme.id).filter(network="opinion")
    assert call("DELETE", f"/v1/banks/support/memories/{opinion.id}").status_code == 200
    check_counts(acme)


def test_an_opinion_that_finds_no_room_is_not_formed(acme: Tenant, call: Caller) -> None:
    """The answer that would form it stands: the refusal is counted."""
    retain(call, "Alice likes tea.")
    bank = read_bank(acme)
    assign_limits(acme, memories=find_use(acme)["memories"])
    with tenant_transaction(acme.id):
        evidence = MemoryUnit.objects.for_tenant(acme.id).get()
    formation = try_to_form(bank, CandidateOpinion("I think that tea is best.", 0.8, "", (evidence.id,)))
    assert (formation.opinions, formation.refused) == ((), {"no_room": 1})
    check_counts(acme)


def test_adding_up_the_changes_leaves_the_counts(acme: Tenant, call: Caller) -> None:
    for name in ("Alice", "Bob", "Carol"):
        retain(call, f"{name} likes tea.")
    before = find_use(acme)
    with tenant_transaction(acme.id):
        add_up_storage(acme.id)
        assert StorageChange.objects.for_tenant(acme.id).count() == 1
    assert find_use(acme) == before
    check_counts(acme)


def test_reflect_is_refused_once_the_tokens_of_the_month_are_used(acme: Tenant, call: Caller, llm: ScriptedLLM) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})
    llm.chat.otherwise = lambda _received: "Tea."
    assign_limits(acme, llm_tokens_per_month=1)
    question = {"query": "What does Alice like?"}
    assert call("POST", "/v1/banks/support/reflect", question).status_code == 200
    refused = call("POST", "/v1/banks/support/reflect", question)
    assert (refused.status_code, refused.json()["quota"]) == (402, "llm_tokens_per_month")
    assert refused.json()["used"] > 1
    assert call("POST", "/v1/banks/support/memories", {"items": [{"content": "Alice likes tea."}]}).status_code == 402
    assert call("POST", "/v1/banks/support/memories/recall", {"query": "Who likes tea?"}).status_code == 200


def test_owners_and_webhooks_are_warned_once(acme: Tenant, call: Caller, owner: User) -> None:
    join(acme, "mia@example.com", "member")
    make_webhook(acme, events=["quota.warning", "quota.exceeded"])
    assign_limits(acme, memories=5)
    for number in range(3):
        retain(call, f"Room {number} is green.")
    assert mail.outbox == []
    retain(call, "Room 3 is green.")
    assert mail.outbox == []
    perform_mails(acme)
    assert [one.to for one in mail.outbox] == [[owner.email]]
    assert "4 of 5 memories" in mail.outbox[0].body
    retain(call, "Room 4 is green.")
    for number in range(5, 8):
        assert retain(call, f"Room {number} is green.").status_code == 402
    perform_mails(acme)
    assert [one.subject for one in mail.outbox] == ["A quota is nearly used up: Acme", "A quota is used up: Acme"]
    with tenant_transaction(acme.id):
        told = list(Delivery.objects.for_tenant(acme.id).order_by("id").values_list("event", "data"))
    assert told == [
        ("quota.warning", {"quota": "memories", "limit": 5, "used": 4}),
        ("quota.exceeded", {"quota": "memories", "limit": 5, "used": 5}),
    ]


def test_a_warning_survives_a_server_of_mails_that_is_down(
    acme: Tenant, call: Caller, owner: User, settings: Settings
) -> None:
    settings.OPERATION_RETRY_SECONDS = 0.0
    assign_limits(acme, memories=1)
    retain(call, "Room 1 is green.")
    usual, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, "nowhere.Backend"
    perform_mails(acme)
    settings.EMAIL_BACKEND = usual
    assert mail.outbox == []
    perform_mails(acme)
    assert [one.to for one in mail.outbox] == [[owner.email]]
    with tenant_transaction(acme.id):
        sent = Operation.objects.for_tenant(acme.id).get(kind="send_mail")
        assert (sent.status, sent.payload) == ("completed", {})


def test_the_pages_say_that_a_quota_is_reached(acme: Tenant, owner: User) -> None:
    assign_limits(acme, members=1)
    client = sign_in(owner, acme)
    answer = client.post("/dashboard/members/invite/", {"email": "ann@example.com", "role": "viewer"}, follow=True)
    assert "The plan allows 1 members" in answer.content.decode()


def test_a_quota_of_one_tenant_is_not_anothers(acme: Tenant, call: Caller, owner: User) -> None:
    other = found_tenant(name="Other", slug="other", owner=owner)
    assign_limits(acme, memories=0)
    assert retain(call, "Alice likes tea.").status_code == 402
    assert retain(Caller(make_key_with_text(other)[1]), "Alice likes tea.").status_code == 200
