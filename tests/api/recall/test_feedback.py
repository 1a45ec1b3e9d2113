from typing import Any
from uuid import uuid4

import pytest

from banks.models import MemoryUnit
from retrieval.models import Feedback
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller, MakeCaller
from tests.api.recall.conftest import Ask
from tests.factories import make_bank
from tests.retrieval.memory import Memory

PATH = "/v1/banks/support/feedback"


@pytest.fixture
def answer(memory: Memory, ask: Ask) -> Any:
    """Two results."""
    memory.unit("Alice moved to Lisbon")
    memory.unit("Bob bought a bicycle")
    return ask("Lisbon", fill=True).json()


def mark(call: Caller, answer: Any, place: int = 0, *, useful: bool = True, **fields: Any) -> Any:
    body = {"recall_id": answer["recall_id"], "memory_id": answer["results"][place]["id"], "useful": useful}
    return call("POST", PATH, body | fields)


@pytest.mark.parametrize("is_written", [False, True])
def test_a_result_can_be_marked_as_soon_as_it_is_there(
    answer: Any, call: Caller, log: RecallLog, *, is_written: bool
) -> None:
    if is_written:
        log.write()
    marked = mark(call, answer, comment="just what I needed")
    assert marked.status_code == 201
    (listed,) = call("GET", PATH).json()["items"]
    assert listed == marked.json()
    assert (listed["useful"], listed["comment"], listed["rank"]) == (True, "just what I needed", 1)


def test_a_later_mark_of_the_same_caller_replaces_the_earlier_one(
    answer: Any, alice: Tenant, call: Caller, make_caller: MakeCaller
) -> None:
    first = mark(call, answer, useful=True).json()
    second = mark(call, answer, useful=False, comment="no longer so").json()
    mark(make_caller(alice), answer, useful=True)
    assert first["id"] == second["id"]
    items = call("GET", PATH).json()["items"]
    assert sorted((item["useful"], item["comment"]) for item in items) == [(False, "no longer so"), (True, "")]
    assert len(call("GET", f"{PATH}?useful=false").json()["items"]) == 1


def test_the_list_can_be_narrowed_to_a_memory_or_a_recall(answer: Any, call: Caller) -> None:
    mark(call, answer)
    second = mark(call, answer, 1, useful=False).json()
    assert call("GET", f"{PATH}?memory_id={second['memory_id']}").json()["items"] == [second]
    assert call("GET", f"{PATH}?recall_id={answer['recall_id']}").json()["total"] == 2
    assert call("GET", f"{PATH}?recall_id={uuid4()}").json()["total"] == 0


def test_only_a_recalled_memory_can_be_marked(answer: Any, memory: Memory, call: Caller) -> None:
    other = memory.unit("Carol plays chess")
    unknown_memory = mark(call, answer, memory_id=str(other.id))
    unknown_recall = mark(call, answer, recall_id=str(uuid4()))
    assert (unknown_memory.status_code, unknown_memory.json()["code"]) == (404, "memory_not_found")
    assert (unknown_recall.status_code, unknown_recall.json()["code"]) == (404, "recall_not_found")


def test_a_recall_is_marked_in_the_bank_that_it_asked(answer: Any, alice: Tenant, call: Caller) -> None:
    make_bank(alice, bank_id="sales")
    body = {"recall_id": answer["recall_id"], "memory_id": answer["results"][0]["id"], "useful": True}
    assert call("POST", "/v1/banks/sales/feedback", body).status_code == 404


def test_a_memory_that_is_gone_can_not_be_marked_and_takes_its_marks_with_it(
    answer: Any, alice: Tenant, call: Caller
) -> None:
    mark(call, answer)
    with tenant_transaction(alice.id):
        MemoryUnit.objects.for_tenant(alice.id).filter(id=answer["results"][0]["id"]).delete()
        assert not Feedback.objects.for_tenant(alice.id).exists()
    assert mark(call, answer).status_code == 404


def test_raw_text_can_be_marked_too(memory: Memory, ask: Ask, call: Caller) -> None:
    chunk = memory.chunk(text="Lisbon has seven hills")
    answer = ask("hills of Lisbon").json()
    assert answer["results"][0]["type"] is None
    assert mark(call, answer).json()["memory_id"] == str(chunk.id)


@pytest.mark.parametrize(
    "fields", [{"recall_id": "7"}, {"memory_id": None}, {"useful": "perhaps"}, {"comment": "x" * 1_001}, {"star": 5}]
)
def test_a_mark_that_makes_no_sense_is_refused(answer: Any, call: Caller, fields: dict[str, Any]) -> None:
    assert mark(call, answer, **fields).status_code == 422


def test_the_same_request_is_performed_once(answer: Any, alice: Tenant, call: Caller) -> None:
    body = {"recall_id": answer["recall_id"], "memory_id": answer["results"][0]["id"], "useful": True}
    first = call("POST", PATH, body, Idempotency_Key="k")
    mark(call, answer, useful=False)
    again = call("POST", PATH, body, Idempotency_Key="k")
    assert again.json() == first.json()
    with tenant_transaction(alice.id):
        assert Feedback.objects.for_tenant(alice.id).get().useful is False
