from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError, connection, connections
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations import access
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.idempotency import Claim
from memoryplatform.operations.models import IdempotencyRecord, Operation
from memoryplatform.operations.reflect import reflect
from memoryplatform.operations.retain import retain as retain_items
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_key_with_text, make_tenant


def count_banks(tenant: Tenant) -> int:
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).count()


def age_records(tenant: Tenant, age: timedelta) -> None:
    with tenant_transaction(tenant.id):
        IdempotencyRecord.objects.for_tenant(tenant.id).update(claimed_at=timezone.now() - age)


def test_the_same_request_is_performed_once_and_answered_alike(call: Caller, alice: Tenant) -> None:
    first = call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    again = call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert count_banks(alice) == 1


@pytest.mark.parametrize(("path", "body"), [("/v1/banks", {"name": "y"}), ("/v1/banks?x=1", {"name": "x"})])
def test_another_request_under_the_same_key_is_refused(call: Caller, path: str, body: dict[str, str]) -> None:
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    response = call("POST", path, body, Idempotency_Key="k1")
    assert (response.status_code, response.json()["code"]) == (422, "idempotency_key_reused")


def test_a_request_in_flight_is_a_conflict(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    with tenant_transaction(alice.id):
        IdempotencyRecord.objects.for_tenant(alice.id).update(status_code=None, answer="")
    response = call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    assert (response.status_code, response.json()["code"]) == (409, "request_in_flight")
    assert response.headers["Retry-After"] == "1"


def test_the_key_of_a_dead_request_can_be_used_again(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    with tenant_transaction(alice.id):
        IdempotencyRecord.objects.for_tenant(alice.id).update(status_code=None, answer="")
    age_records(alice, timedelta(minutes=6))
    assert call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1").status_code == 201


def test_a_refused_request_leaves_the_key_free(call: Caller) -> None:
    assert call("POST", "/v1/banks", {"bias_strength": 9}, Idempotency_Key="k1").status_code == 422
    assert call("POST", "/v1/banks", {"bias_strength": 0.9}, Idempotency_Key="k1").status_code == 201


def test_a_request_that_breaks_leaves_neither_work_nor_record(call: Caller, alice: Tenant) -> None:
    with mock.patch.object(access, "record", side_effect=ZeroDivisionError):
        assert call("POST", "/v1/banks", {}, Idempotency_Key="k1").status_code == 500
    assert count_banks(alice) == 0
    assert call("POST", "/v1/banks", {}, Idempotency_Key="k1").status_code == 201


def test_a_connection_that_ends_in_the_release_too_leaves_the_key_free(call: Caller) -> None:
    forget = Claim._forget
    ends = iter([OperationalError("terminating connection")])

    def end_once(claim: Claim) -> None:
        if error := next(ends, None):
            raise error
        forget(claim)

    with (
        mock.patch.object(access, "record", side_effect=OperationalError("terminating connection")),
        mock.patch.object(Claim, "_forget", end_once),
    ):
        assert call("POST", "/v1/banks", {}, Idempotency_Key="k1").status_code == 503
    assert call("POST", "/v1/banks", {}, Idempotency_Key="k1").status_code == 201


def test_an_answer_is_forgotten_after_a_day(call: Caller, alice: Tenant) -> None:
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    age_records(alice, timedelta(hours=25))
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    assert count_banks(alice) == 2


def test_keys_of_two_tenants_have_nothing_to_do_with_each_other(
    call: Caller, charlie: Tenant, make_caller: MakeCaller
) -> None:
    first = call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1").json()
    other = make_caller(charlie)("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1").json()
    assert first["bank_id"] != other["bank_id"]


def test_a_second_api_key_can_not_read_the_answer_of_the_first(
    alice: Tenant, call: Caller, make_caller: MakeCaller
) -> None:
    call("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1")
    assert make_caller(alice)("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1").status_code == 422


def retain(call: Caller, text: str, *, bank_id: str = "b") -> Any:
    return call("POST", f"/v1/banks/{bank_id}/memories", {"items": [{"content": text}]}, Idempotency_Key="k1")


def list_texts(call: Caller) -> list[str]:
    return [item["text"] for item in call("GET", "/v1/banks/b/memories").json()["items"]]


def age_operations(tenant: Tenant, age: timedelta) -> None:
    with tenant_transaction(tenant.id):
        Operation.objects.for_tenant(tenant.id).update(created_at=timezone.now() - age)


SOON, BEFORE = timedelta(seconds=30), timedelta(seconds=-1)
# The operation of an unanswered request (status, number of claims, end of its lease), and the response to a repeat.
UNANSWERED = {
    "not begun": ("pending", 0, None, 409),
    "first attempt": ("processing", 1, SOON, 409),
    "first attempt left alone": ("processing", 1, BEFORE, 200),
    "first attempt failed": ("pending", 1, None, 200),
    "second attempt": ("processing", 2, SOON, 200),
    "done": ("completed", 1, None, 200),
    "cancelled at once": ("cancelled", 0, None, 200),
}


@pytest.mark.parametrize("name", UNANSWERED)
def test_an_operation_answers_for_a_request_that_died(call: Caller, alice: Tenant, name: str) -> None:
    status, claims, lease, answered = UNANSWERED[name]
    first = retain(call, "Ana lives in Porto.").json()
    with tenant_transaction(alice.id):
        IdempotencyRecord.objects.for_tenant(alice.id).update(status_code=None, answer="")
        until = None if lease is None else timezone.now() + lease
        Operation.objects.for_tenant(alice.id).filter(id=first["operation_id"]).update(
            status=status, fencing_token=claims, lease_until=until
        )
    again = retain(call, "Ana lives in Porto.")
    assert (again.status_code, again.json().get("operation_id", first["operation_id"])) == (
        answered,
        first["operation_id"],
    )


def test_both_are_answered_where_one_took_the_key_of_the_other_over(
    call: Caller, alice: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Any] = []

    def come_again(*args: Any, **named: Any) -> Any:
        operation = retain_items(*args, **named)
        if not answers:
            answers.append(None)
            answers[0] = retain(call, "Ana lives in Porto.")
        return operation

    monkeypatch.setattr("memoryplatform.api.v1.memories.retain", come_again)
    answers.append(retain(call, "Ana lives in Porto."))
    assert [one.status_code for one in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()


def test_a_key_that_was_forgotten_says_nothing_of_the_operation_that_it_once_had(call: Caller, alice: Tenant) -> None:
    first = retain(call, "Ana lives in Porto.").json()
    age_records(alice, timedelta(hours=25))
    other = retain(call, "Ben lives in Oslo.").json()
    assert other["operation_id"] != first["operation_id"]
    assert len(list_texts(call)) == 2
    age_records(alice, timedelta(hours=25))
    assert retain(call, "Ben lives in Oslo.").json()["operation_id"] == other["operation_id"]  # the first one crashed
    age_records(alice, timedelta(hours=25))
    age_operations(alice, timedelta(hours=25))
    assert retain(call, "Ben lives in Oslo.").json()["operation_id"] != other["operation_id"]


def test_a_key_of_another_api_key_does_not_find_its_operation(
    call: Caller, alice: Tenant, make_caller: MakeCaller
) -> None:
    body = {"messages": [{"role": "user", "content": "I live in Porto."}], "user_id": "ana", "async_mode": False}
    call("POST", "/v1/memories/", body, Idempotency_Key="k1")
    age_records(alice, timedelta(hours=25))
    other = make_caller(alice)
    answer = other("POST", "/v1/memories/", body | {"user_id": "ben"}, Idempotency_Key="k1")
    assert answer.status_code == 200
    with tenant_transaction(alice.id):
        assert Operation.objects.for_tenant(alice.id).filter(kind="retain").count() == 2


def test_a_key_that_looks_like_the_peers_own_breaks_nothing(call: Caller) -> None:
    body = {"items": [{"content": "Ana lives in Porto."}]}
    call("POST", "/v1/banks/b/memories", body, Idempotency_Key="hindsight:nightly")
    assert call("GET", "/v1/default/banks/b/operations").status_code == 200


def read_stored(tenant: Tenant) -> str:
    with tenant_transaction(tenant.id), connection.cursor() as cursor:
        cursor.execute("SELECT answer FROM operations_idempotencyrecord")
        return "".join(row[0] for row in cursor.fetchall())


def test_responses_are_stored_encrypted(alice: Tenant, make_caller: MakeCaller) -> None:
    call = make_caller(alice, scopes=["read", "write", "admin"])
    body = {"name": "x", "url": "https://example.com/hook", "events": ["bank.created"]}
    told = call("POST", "/v1/webhooks", body, Idempotency_Key="k1").json()
    assert told["secret"] not in read_stored(alice)
    assert call("POST", "/v1/webhooks", body, Idempotency_Key="k1").json() == told


QUESTION = {"query": "Where does Ana live?"}


def ask(call: Caller, *, bank_id: str = "b", key: str = "asked") -> Any:
    return call("POST", f"/v1/banks/{bank_id}/reflect", QUESTION, Idempotency_Key=key)


def test_a_stored_response_is_deleted_with_the_memories_it_may_quote_and_the_request_is_not_repeated(
    call: Caller, alice: Tenant
) -> None:
    (memory_id,) = retain(call, "Ana lives in Porto.").json()["unit_ids"]
    assert ask(call).json() == ask(call).json()
    assert call("DELETE", f"/v1/banks/b/memories/{memory_id}").status_code < 300
    again = ask(call)
    assert (again.status_code, again.json()["code"]) == (409, "answer_forgotten")
    kept = retain(call, "Ana lives in Porto.")  # the stored response holds only ids
    assert (kept.status_code, kept.json()["unit_ids"], list_texts(call)) == (200, [memory_id], [])


def test_an_answer_that_was_being_made_when_memories_were_deleted_is_not_kept(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory_id,) = retain(call, "Ana lives in Porto.").json()["unit_ids"]

    def delete_meanwhile(*args: Any, **named: Any) -> Any:
        answer = reflect(*args, **named)
        call("DELETE", f"/v1/banks/b/memories/{memory_id}")
        return answer

    monkeypatch.setattr("memoryplatform.api.v1.reflect.reflect", delete_meanwhile)
    assert ask(call).status_code == 200
    assert ask(call).json()["code"] == "answer_forgotten"


def test_an_answer_is_forgotten_with_the_former_text_of_a_document(call: Caller) -> None:
    for text in ("Ana lives in Porto.", "Ben sails."):
        items = [{"content": text, "document_id": "d"}]
        call("POST", "/v1/banks/b/memories", {"items": items})
        answer = ask(call)
    assert answer.json()["code"] == "answer_forgotten"


def test_an_answer_about_another_bank_or_about_none_is_not_forgotten(call: Caller) -> None:
    (memory_id,) = retain(call, "Ben sails.").json()["unit_ids"]
    call("POST", "/v1/banks/other/memories", {"items": [{"content": "Ana lives in Porto."}]})
    kept, made = ask(call, bank_id="other").json(), call("POST", "/v1/banks", {}, Idempotency_Key="made").json()
    call("DELETE", f"/v1/banks/b/memories/{memory_id}")
    assert ask(call, bank_id="other").json() == kept
    assert call("POST", "/v1/banks", {}, Idempotency_Key="made").json() == made


def test_a_deletion_of_nothing_forgets_nothing(call: Caller) -> None:
    retain(call, "Ana lives in Porto.")
    kept = ask(call).json()
    call("DELETE", "/v1/banks/b/memories?q=nobody")
    assert ask(call).json() == kept


def test_no_transaction_is_open_while_a_background_is_merged(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    depths: list[int] = []

    def watch(*args: Any, **named: Any) -> Any:
        depths.append(len(connection.savepoint_ids))
        return merge_background(*args, **named)

    monkeypatch.setattr("memoryplatform.api.v1.background.merge_background", watch)
    call("POST", "/v1/banks", {"bank_id": "b"})
    outside = len(connection.savepoint_ids)
    call("POST", "/v1/banks/b/background", {"content": "You live in Porto."}, Idempotency_Key="k1")
    assert depths == [outside]


@pytest.mark.parametrize("key", ["", "   ", "x" * 256])
def test_an_unusable_key_is_named(call: Caller, key: str) -> None:
    response = call("POST", "/v1/banks", {}, Idempotency_Key=key)
    assert response.status_code == 422
    assert "Idempotency-Key" in response.json()["detail"]


def test_many_at_once_make_one_bank(committed_db: None) -> None:
    tenant = make_tenant("acme")
    _, key = make_key_with_text(tenant)

    def attempt(_number: int) -> int:
        try:
            return int(Caller(key)("POST", "/v1/banks", {"name": "x"}, Idempotency_Key="k1").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(attempt, range(16)))
    assert set(statuses) <= {201, 409}
    assert 201 in statuses
    assert count_banks(tenant) == 1


def test_concurrent_failures_all_get_the_error(committed_db: None) -> None:
    """The request that holds the key releases it while others wait for it."""
    tenant = make_tenant("acme")
    _, key = make_key_with_text(tenant)
    Caller(key)("POST", "/v1/banks", {"bank_id": "taken"})

    def attempt(_number: int) -> int:
        try:
            return int(Caller(key)("POST", "/v1/banks", {"bank_id": "taken"}, Idempotency_Key="k1").status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(attempt, range(48))) == {409}
