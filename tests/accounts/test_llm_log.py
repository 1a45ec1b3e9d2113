"""The log of LLM requests: off by default, sealed, kept for some days, gone with the memories that it may quote."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connections
from django.utils import timezone
from pydantic import BaseModel

from banks.retain.answers import forget_answers
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations import logged_llm
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account import llm_log, own_llm
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.banks.retention import run_maintenance_now
from memoryplatform.operations.erasures.targets import Kind, Target
from memoryplatform.operations.erasures.use_cases import request_erasure
from memoryplatform.operations.memories.single import delete_memory
from memoryplatform.operations.models import LLMRequest, Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.settings.environment import ModelPrice
from providers.llm.errors import LLMUnavailable, MalformedAnswer, StreamInterrupted
from providers.llm.protocol import LLM, ChatMessage, StreamEnd, Task
from tenants.audit import Actor
from tenants.memberships import found_tenant
from tenants.models import AuditEvent, Member, Tenant, User
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import join, list_notices, make_person, sign_in
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text, make_llm_request, make_operation
from tests.live_server import use_small_models
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply
from tests.memory_factories import make_entity, make_unit

__all__ = ["llm"]
SECRET = "Ana keeps a hedgehog."
ASKED = [ChatMessage("system", "Answer from memory."), ChatMessage("user", SECRET)]
HOSTILE = "<script>alert('x')</script>{{ 7 }}"
SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


class Pet(BaseModel):
    name: str


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_llm, "KNOWN", own_llm.KnownLLMs())


@pytest.fixture
def access(acme: Tenant, owner: User) -> TenantAccess:
    return TenantAccess(acme.id, Member.Role.OWNER, Actor(user_id=owner.id))


@pytest.fixture
def logging(access: TenantAccess) -> TenantAccess:
    llm_log.set_log_days(access, 7)
    return access


def find_llm(tenant: Tenant, bank_id: str = "support") -> LLM:
    found = own_llm.find_llm(tenant.id, Task.REFLECT, bank_id=bank_id)
    assert found is not None
    return found


def read_log(tenant: Tenant) -> list[LLMRequest]:
    with tenant_transaction(tenant.id):
        return list(LLMRequest.objects.for_tenant(tenant.id).order_by("id"))


def set_days(browser: Any, days: object) -> Any:
    return browser.put("/v1/account/llm-log", json.dumps({"days": days}), content_type="application/json")


def test_nothing_is_logged_unless_the_tenant_wants_it(acme: Tenant, owner: User, llm: ScriptedLLM) -> None:
    llm.chat.say("Yes.")
    find_llm(acme).complete(ASKED)
    browser = sign_in(owner, acme)
    assert browser.get("/v1/account/llm-log").json() == {"days": 0}
    assert browser.get("/v1/account/llm-requests").json() == {"requests": [], "next_cursor": None}
    assert read_log(acme) == []


def test_a_request_is_logged_with_its_tokens_cost_and_time_and_its_texts_are_sealed(
    acme: Tenant, owner: User, logging: TenantAccess, llm: ScriptedLLM, settings: Any
) -> None:
    settings.MODEL_PRICES = {"scripted": ModelPrice(input=Decimal(2), output=Decimal(10))}
    llm.chat.say("A hedgehog.")
    answer = find_llm(acme).complete(ASKED)
    browser = sign_in(owner, acme)
    (shown,) = browser.get("/v1/account/llm-requests").json()["requests"]
    assert "prompt" not in shown
    assert (shown["task"], shown["model"], shown["service"]) == ("reflect", "scripted", "llm")
    assert shown["bank_id"] == "support"
    assert (shown["outcome"], shown["operation_id"], shown["calls"]) == ("ok", None, 1)
    spent = (shown["input_tokens"], shown["output_tokens"])
    assert spent == (answer.usage.input_tokens, answer.usage.output_tokens)
    assert Decimal(shown["cost"]) == (spent[0] * 2 + spent[1] * 10) / Decimal(1_000_000)
    whole = browser.get(f"/v1/account/llm-requests/{shown['llm_request_id']}").json()
    assert whole["prompt"] == [{"role": one.role, "content": one.content} for one in ASKED]
    assert whole["answer"] == "A hedgehog."
    with connections["platform"].cursor() as cursor:
        cursor.execute("SELECT prompt, answer FROM operations_llmrequest")
        assert all(text.startswith("sealed1:") for text in cursor.fetchone())
        cursor.execute("SELECT string_agg(detail::text, '') FROM tenants_auditevent")
        assert "hedgehog" not in cursor.fetchone()[0]


def test_a_structured_answer_is_logged_with_its_correction(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM
) -> None:
    llm.chat.say("A hedgehog.")
    llm.chat.say('{"name": "Spike"}')
    assert find_llm(acme).complete_as(Pet, ASKED).value.name == "Spike"
    llm.chat.say("No.")
    llm.chat.say("Never.")
    with pytest.raises(MalformedAnswer):
        find_llm(acme).complete_as(Pet, ASKED)
    repaired, refused = read_log(acme)
    assert (repaired.outcome, repaired.calls, repaired.answer) == ("ok", 2, '{"name": "Spike"}')
    assert (refused.outcome, refused.calls, refused.answer) == ("MalformedAnswer", 2, "Never.")
    assert refused.input_tokens > 0


def test_a_failed_request_is_logged(acme: Tenant, logging: TenantAccess, llm: ScriptedLLM) -> None:
    llm.chat.reply(Reply(status=503))
    with pytest.raises(LLMUnavailable):
        find_llm(acme).complete(ASKED)
    (row,) = read_log(acme)
    assert (row.outcome, row.answer, row.input_tokens, row.cost) == ("LLMUnavailable", "", 0, None)


def test_a_stream_is_logged_at_its_end(acme: Tenant, logging: TenantAccess, llm: ScriptedLLM) -> None:
    llm.chat.say("A hedgehog lives with Ana.")
    *_, end = find_llm(acme).stream(ASKED)
    assert isinstance(end, StreamEnd)
    (row,) = read_log(acme)
    assert (row.outcome, row.answer) == ("ok", "A hedgehog lives with Ana.")
    assert row.output_tokens == end.usage.output_tokens


def test_an_abandoned_stream_is_logged_as_far_as_it_came(acme: Tenant, logging: TenantAccess, llm: ScriptedLLM) -> None:
    llm.chat.say("A hedgehog lives with Ana.")
    stream = find_llm(acme).stream(ASKED)
    next(stream)
    assert read_log(acme) == []
    stream.close()
    (row,) = read_log(acme)
    assert (row.outcome, row.estimated) == ("abandoned", True)
    assert 0 < len(row.answer) < len("A hedgehog lives with Ana.")
    assert row.input_tokens > 0


def test_a_broken_stream_is_logged_with_the_part_that_came(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM
) -> None:
    llm.chat.reply(Reply(text="A hedgehog lives with Ana.", cut="stream"))
    with pytest.raises(StreamInterrupted) as broken:
        list(find_llm(acme).stream(ASKED))
    (row,) = read_log(acme)
    assert (row.outcome, row.answer) == ("StreamInterrupted", broken.value.partial)


def test_a_log_that_can_not_be_written_fails_no_call(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("The disk is full.")

    monkeypatch.setattr(logged_llm.RequestLog, "write", fail)
    llm.chat.say("Yes.")
    assert find_llm(acme).complete(ASKED).text == "Yes."
    assert read_log(acme) == []


def test_long_texts_are_cut(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logged_llm, "MOST_CHARACTERS", 30)
    llm.chat.say("x" * 50)
    assert find_llm(acme).complete(ASKED).text == "x" * 50
    (row,) = read_log(acme)
    assert row.answer == "x" * 30 + "\n[20 more characters are not kept]"
    assert row.messages == [
        {"role": "system", "content": "Answer from memory."},
        {"role": "user", "content": "Ana keeps a\n[10 more characters are not kept]"},
    ]


def test_the_model_that_answered_is_named(acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, settings: Any) -> None:
    settings.OWN_LLM_PRIVATE_ADDRESSES = True
    settings.LLM_MAX_RETRIES = 0
    with ScriptedLLM() as mine:
        mine.chat.say('{"ready": true}')
        own_llm.save_own_llm(logging, own_llm.LLMChoice(mine.url, "mine", ""))
        llm.chat.say('{"ready": true}')
        own_llm.save_own_llm(logging, own_llm.LLMChoice(llm.url, "second", ""), "fallback")
        mine.chat.reply(Reply(status=503))
        llm.chat.say("Yes.")
        find_llm(acme).complete(ASKED)
    (row,) = read_log(acme)
    assert (row.service, row.model, row.cost) == ("own_llm", "second", None)


def test_the_calls_of_an_operation_name_it_and_its_bank_and_cached_answers_are_no_calls(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_models(monkeypatch)
    llm.chat.otherwise = lambda _: '{"facts": []}'
    item = RetainItem(SAID_AT, messages=(GivenMessage("user", SECRET, SAID_AT, name="Ana"),), thread="t")
    operation = retain(BankAccess(acme.id), "support", [item], wait=True)
    rows = read_log(acme)
    assert {(row.bank_key, row.operation_id) for row in rows} == {("support", operation.id)}
    assert rows[0].task == "extract"
    assert SECRET in rows[0].prompt
    asked = len(llm.chat.received)
    again = RetainItem(SAID_AT, messages=(GivenMessage("user", SECRET, SAID_AT, name="Ana"),), thread="u")
    retain(BankAccess(acme.id), "support", [again], wait=True)
    assert len(read_log(acme)) - len(rows) == len(llm.chat.received) - asked


def test_background_recall_and_reflect_name_their_bank(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_models(monkeypatch)
    call = Caller(make_key_with_text(acme)[1])
    for bank_id in ("notes", "more"):
        call("POST", "/v1/banks", {"bank_id": bank_id, "background": "I was born in Colorado."})
    llm.chat.say(json.dumps({"background": "I was born in Texas."}))
    call("POST", "/v1/banks/notes/background", {"content": "You were born in Texas."})
    when = "What did she do before the day of the harvest?"  # the rules find no date, so a model is asked
    llm.chat.otherwise = lambda _: "Ana."
    for banks in (["notes"], ["notes", "more"]):
        call("POST", "/v1/recall", {"query": when, "banks": banks})
    call("POST", "/v1/banks/notes/reflect", {"query": "Who is Ana?"})
    rows = read_log(acme)
    assert [(row.task, row.bank_key) for row in rows] == [
        ("reflect", "notes"),
        ("judge", "notes"),
        ("judge", ""),
        ("reflect", "notes"),
    ]
    assert {row.operation_id for row in rows} == {None}


def test_the_list_has_pages_and_filters(acme: Tenant, owner: User, logging: TenantAccess) -> None:
    operation = uuid4()
    first = make_llm_request(acme, task="extract", bank_key="a", operation_id=operation)
    second = make_llm_request(acme, model="big", outcome="LLMTimeout", bank_key="b")
    browser = sign_in(owner, acme)

    def ids(**wanted: Any) -> list[str]:
        found = browser.get("/v1/account/llm-requests", wanted).json()["requests"]
        return [one["llm_request_id"] for one in found]

    assert ids() == [str(second.id), str(first.id)]
    for name, value in {"task": "extract", "bank_id": "a", "operation_id": operation, "outcome": "ok"}.items():
        assert ids(**{name: value}) == [str(first.id)]
    assert ids(model="big") == ids(outcome="LLMTimeout") == [str(second.id)]
    assert ids(until=second.created_at.isoformat()) == [str(first.id)]
    assert ids(since=second.created_at.isoformat()) == [str(second.id)]
    page = browser.get("/v1/account/llm-requests", {"limit": 1}).json()
    rest = browser.get("/v1/account/llm-requests", {"limit": 1, "cursor": page["next_cursor"]}).json()
    assert (rest["requests"][0]["llm_request_id"], rest["next_cursor"]) == (str(first.id), None)


def test_turning_it_off_erases_it_and_keeps_out_a_request_that_is_under_way(
    acme: Tenant, owner: User, logging: TenantAccess, llm: ScriptedLLM
) -> None:
    make_llm_request(acme)
    under_way, browser = find_llm(acme), sign_in(owner, acme)
    other_process = own_llm.KnownLLMs()
    assert other_process.find(acme.id).is_logged
    assert set_days(browser, 0).json() == {"days": 0}
    llm.chat.otherwise = lambda _: "Yes."
    under_way.complete(ASKED)
    logged_llm.log_requests(under_way, acme.id, Task.REFLECT).complete(ASKED)  # by a process that knows it as on
    assert read_log(acme) == []
    with tenant_transaction(acme.id):
        events = AuditEvent.objects.for_tenant(acme.id).filter(action="llm_log.changed").order_by("id")
        assert [event.detail for event in events] == [{"before": 0, "after": 7}, {"before": 7, "after": 0}]


@pytest.mark.parametrize("days", [-1, 91, "7", None, 1.5, True])
def test_other_days_are_refused(acme: Tenant, owner: User, days: object) -> None:
    assert set_days(sign_in(owner, acme), days).status_code == 422


def test_the_database_refuses_other_days(acme: Tenant) -> None:
    with pytest.raises(IntegrityError), tenant_transaction(acme.id):
        Tenant.objects.filter(id=acme.id).update(llm_log_days=91)


def age(tenant: Tenant, row: LLMRequest, days: int) -> None:
    with tenant_transaction(tenant.id):
        moment = timezone.now() - timedelta(days=days)
        LLMRequest.objects.for_tenant(tenant.id).filter(id=row.id).update(created_at=moment)


def test_requests_past_their_days_are_hidden_and_a_night_deletes_them(
    acme: Tenant, owner: User, logging: TenantAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_models(monkeypatch)
    old, new = make_llm_request(acme), make_llm_request(acme)
    age(acme, old, 8)
    browser = sign_in(owner, acme)
    assert len(browser.get("/v1/account/llm-requests").json()["requests"]) == 1
    assert browser.get(f"/v1/account/llm-requests/{old.id}").json()["code"] == "llm_request_not_found"
    make_bank(acme, bank_id="any")
    perform(acme.id, run_maintenance_now(BankAccess(acme.id), "any").id)
    assert [row.id for row in read_log(acme)] == [new.id]


def test_a_night_keeps_the_newest_requests_only(
    acme: Tenant, logging: TenantAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_log, "MOST_KEPT", 2)
    rows = [make_llm_request(acme) for _ in range(4)]
    with tenant_transaction(acme.id):
        llm_log.delete_old_requests(acme.id, now=timezone.now())
    assert [row.id for row in read_log(acme)] == [row.id for row in rows[2:]]


def test_fewer_days_delete_the_older_requests_at_once(acme: Tenant, logging: TenantAccess) -> None:
    old, new = make_llm_request(acme), make_llm_request(acme)
    age(acme, old, 5)
    llm_log.set_log_days(logging, 3)
    assert [row.id for row in read_log(acme)] == [new.id]


@pytest.fixture
def quoted(acme: Tenant, logging: TenantAccess) -> Iterator[LLMRequest]:
    """A request of another bank, which stays, beside those of the bank and of several banks, which go."""
    make_llm_request(acme, bank_key="support", answer=SECRET)
    make_llm_request(acme, bank_key="", answer=SECRET)
    kept = make_llm_request(acme, bank_key="other")
    yield kept
    assert [row.id for row in read_log(acme)] == [kept.id]


def test_with_a_deleted_memory_the_requests_of_its_bank_go(acme: Tenant, quoted: LLMRequest) -> None:
    unit = make_unit(acme, bank=make_bank(acme, bank_id="support"), text=SECRET)
    delete_memory(BankAccess(acme.id), "support", unit.id)


def test_with_an_erased_person_the_requests_of_its_bank_go(acme: Tenant, quoted: LLMRequest) -> None:
    person = make_entity(acme, bank=make_bank(acme, bank_id="support"), name="Ana")
    erasure = request_erasure(BankAccess(acme.id), Target(Kind.ENTITY, "support", str(person.id)))
    assert erasure.operation is not None
    perform(acme.id, erasure.operation.id)


@pytest.mark.parametrize("kind", ["deleted", "erased"])
def test_with_its_bank_the_requests_go(acme: Tenant, quoted: LLMRequest, kind: str) -> None:
    make_bank(acme, bank_id="support")
    if kind == "deleted":
        delete_bank_for_good(BankAccess(acme.id), "support")
    else:
        request_erasure(BankAccess(acme.id), Target(Kind.BANK, "support"))
    with tenant_transaction(acme.id):
        operations = list(Operation.objects.for_tenant(acme.id).values_list("id", flat=True))
    for operation_id in operations:
        perform(acme.id, operation_id)


def test_a_request_that_read_a_memory_before_its_deletion_is_not_logged_after_it(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM
) -> None:
    unit = make_unit(acme, bank=make_bank(acme, bank_id="support"), text=SECRET)
    under_way = find_llm(acme)
    delete_memory(BankAccess(acme.id), "support", unit.id)
    llm.chat.otherwise = lambda _: "Yes."
    under_way.complete(ASKED)
    assert read_log(acme) == []
    find_llm(acme).complete(ASKED)
    assert len(read_log(acme)) == 1


def test_a_call_does_not_wait_for_a_large_deletion(
    acme: Tenant, logging: TenantAccess, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logged_llm, "LOCK_TIMEOUT", "10ms")
    llm.chat.say("Yes.")
    under_way = find_llm(acme)

    def ask() -> str:
        return under_way.complete(ASKED).text

    with ThreadPoolExecutor(1) as threads, tenant_transaction(acme.id):
        forget_answers(acme.id)
        assert threads.submit(ask).result(timeout=20) == "Yes."
    assert read_log(acme) == []


def test_another_tenant_sees_nothing_of_it(acme: Tenant, logging: TenantAccess) -> None:
    row = make_llm_request(acme)
    otto = make_person("otto@example.com")
    other = found_tenant(name="Other", slug="other", owner=otto)
    browser = sign_in(otto, other)
    assert set_days(browser, 7).status_code == 200
    assert browser.get("/v1/account/llm-requests").json()["requests"] == []
    assert browser.get(f"/v1/account/llm-requests/{row.id}").status_code == 404
    assert browser.get(f"/dashboard/llm/requests/{row.id}/").status_code == 404
    set_days(browser, 0)
    assert [one.id for one in read_log(acme)] == [row.id]


def test_a_request_that_no_key_decrypts_is_shown_without_its_texts(
    acme: Tenant, owner: User, logging: TenantAccess, settings: Any
) -> None:
    row = make_llm_request(acme)
    with connections["platform"].cursor() as cursor:
        cursor.execute("UPDATE operations_llmrequest SET prompt = 'sealed1:x', answer = 'sealed1:y'")
    browser = sign_in(owner, acme)
    shown = browser.get(f"/v1/account/llm-requests/{row.id}").json()
    assert (shown["prompt"], shown["answer"], shown["model"]) == (None, None, "m")
    assert "can't be decrypted" in browser.get(f"/dashboard/llm/requests/{row.id}/").content.decode()


def test_the_pages_show_it_as_text_and_turn_it_on_and_off(acme: Tenant, owner: User) -> None:
    browser = sign_in(owner, acme)
    assert "The log is off" in browser.get("/dashboard/llm/requests/").content.decode()
    browser.post("/dashboard/llm/log/", {"days": "30"})
    assert browser.get("/v1/account/llm-log").json() == {"days": 30}
    prompt = json.dumps([{"role": "user", "content": HOSTILE}])
    operation = uuid4()
    fields = {"bank_key": HOSTILE, "model": HOSTILE, "outcome": HOSTILE, "operation_id": operation}
    row = make_llm_request(acme, prompt=prompt, answer=HOSTILE, **fields)
    listed = browser.get("/dashboard/llm/requests/", {"bank": HOSTILE, "operation": str(operation)}).content.decode()
    whole = browser.get(f"/dashboard/llm/requests/{row.id}/").content.decode()
    assert f"/dashboard/llm/requests/{row.id}/" in listed
    for page in (listed, whole):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;{{ 7 }}" in page
    assert str(row.id) not in browser.get("/dashboard/llm/requests/", {"task": "judge"}).content.decode()
    assert browser.get("/dashboard/llm/requests/?until=9999-12-31&before=y").status_code == 200
    unread = browser.get("/dashboard/llm/requests/?since=nonsense&operation=x&bank=%00")
    assert unread.status_code == 200
    assert list_notices(unread.content.decode()) == [
        "Bank: “⟨U+0000⟩” can't be read, so it does not filter.",
        "Operation: “x” can't be read, so it does not filter.",
        "From: “nonsense” can't be read, so it does not filter.",
    ]
    browser.post("/dashboard/llm/log/", {"days": "0"})
    assert read_log(acme) == []


@pytest.mark.parametrize("days", ["", "91", "-1", "x"])
def test_the_page_refuses_other_days(acme: Tenant, owner: User, logging: TenantAccess, days: str) -> None:
    browser = sign_in(owner, acme)
    browser.post("/dashboard/llm/log/", {"days": days})
    assert browser.get("/v1/account/llm-log").json() == {"days": 7}


def test_members_and_viewers_neither_read_nor_set_it(acme: Tenant, logging: TenantAccess) -> None:
    row = make_llm_request(acme)
    for role in ("viewer", "member"):
        browser = sign_in(join(acme, f"{role}@example.com", role), acme)
        assert set_days(browser, 0).status_code == 403
        assert browser.get(f"/v1/account/llm-requests/{row.id}").status_code == 403
        assert browser.get("/dashboard/llm/requests/").status_code == 403
    assert len(read_log(acme)) == 1


def test_the_page_of_an_operation_leads_managers_to_its_requests(
    acme: Tenant, owner: User, logging: TenantAccess
) -> None:
    operation = make_operation(acme)
    address, link = f"/dashboard/operations/{operation.id}/", f"/dashboard/llm/requests/?operation={operation.id}"
    browser, viewer = sign_in(owner, acme), sign_in(join(acme, "vera@example.com", "viewer"), acme)
    assert link not in browser.get(address).content.decode()
    row = make_llm_request(acme, operation_id=operation.id)
    assert link in browser.get(address).content.decode()
    assert str(row.id) in browser.get(link).content.decode()
    assert link not in viewer.get(address).content.decode()
