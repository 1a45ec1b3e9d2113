"""Bad input is refused with its field, or stored verbatim, and never affects its neighbours."""

import json
from typing import Any

import pytest

from banks.models import Document, MemoryUnit, Message
from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant

GOOD = {"facts": [{"text": "Bob paints."}]}


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def retain(call: Caller, *items: Any, **fields: Any) -> Any:
    return call("POST", "/v1/banks/support/memories", {"items": list(items), **fields})


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


REFUSED: dict[str, tuple[Any, str]] = {
    "no object": ("text", ""),
    "null": (None, ""),
    "a list": ([], ""),
    "nothing": ({}, ""),
    "an empty text": ({"content": ""}, "content"),
    "spaces": ({"content": " \n\t "}, "content"),
    "a number": ({"content": {"a": 1}}, "content"),
    "a null byte": ({"content": "a\x00b"}, "content"),
    "a lone surrogate": ({"content": "a\ud800b"}, "content"),
    "a lone surrogate in a tag": ({"content": "x", "tags": ["\udc00"]}, "tags.0"),
    "a null byte in a message": ({"messages": [{"role": "user", "content": "\x00"}]}, "messages.0.content"),
    "an unknown format": ({"content": "x", "timestamp": "08/05/2023 1pm"}, "timestamp"),
    "a number for a time": ({"content": "x", "timestamp": 1}, "timestamp"),
    "year one": ({"content": "x", "timestamp": "0001-01-01T00:00:00+14:00"}, "timestamp"),
    "year 9999": ({"content": "x", "timestamp": "9999-12-31T23:59:59-14:00"}, "timestamp"),
    "a zone that is none": ({"content": "x", "timestamp": "2026-05-10T12:00:00-16:00"}, "timestamp"),
    "year 0": ({"content": "x", "timestamp": "0000-01-01T00:00:00Z"}, "timestamp"),
    "10,000 tags": ({"content": "x", "tags": [f"t{number}" for number in range(10_000)]}, "tags"),
    "a long tag": ({"content": "x", "tags": ["t" * 201]}, "tags.0"),
    "tags that are no list": ({"content": "x", "tags": "work"}, "tags"),
    "a long document id": ({"content": "x", "document_id": "d" * 501}, "document_id"),
    "a document id that leads out of its folder": ({"content": "x", "document_id": "a/../b"}, "document_id"),
    "a document id that ends like a route": ({"content": "x", "document_id": "a/chunks"}, "document_id"),
    "a null byte in a document id": ({"content": "x", "document_id": "a\x00"}, "document_id"),
    "a long name in the metadata": ({"content": "x", "metadata": {"k" * 101: "v"}}, "metadata"),
    "a null byte in a name of the metadata": ({"content": "x", "metadata": {"k\x00": "v"}}, "metadata"),
    "metadata in metadata": ({"content": "x", "metadata": {"k": {"a": "b"}}}, "metadata.k"),
    "much metadata": ({"content": "x", "metadata": {str(number): "v" for number in range(101)}}, "metadata"),
    "deep content": ({"content": deep(400)}, "content"),
    "deep metadata": ({"content": "x", "metadata": {"k": deep(400)}}, "metadata.k"),
    "deep tags": ({"content": "x", "tags": deep(400)}, "tags.0"),
    "deep entities": ({"content": "x", "entities": deep(400)}, "entities.0"),
}


@pytest.mark.parametrize(("item", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_an_item_that_can_not_be_kept_names_its_field(call: Caller, item: Any, field: str) -> None:
    answer = retain(call, item, GOOD, item).json()
    assert (answer["items_count"], len(answer["unit_ids"])) == (1, 1)
    assert [fault["index"] for fault in answer["item_errors"]] == [0, 2]
    assert {fault["field"] for fault in answer["item_errors"][0]["faults"]} == {field}


KEPT: dict[str, str] = {
    "right to left": "\u202bשלום עולם، مرحبا بالعالم\u202c",  # noqa: RUF001  # its letters look like others
    "combining": "e\u0301" * 50 + " Z\u0351\u036b\u0343alg\u0321\u0316o",
    "line ends": "one\r\ntwo\rthree\n\n\n four\u2028five\x0b\x7f",
    "byte order mark": "\ufeffA text.",
    "noncharacters": "\uffff\ufffe and \U0010ffff",
    "no words": "...!?",
    "quotes": "'; DROP TABLE banks_bank; -- \\ \" %s {} ${x}",
}


def test_odd_text_is_stored_to_the_letter(call: Caller, tenant: Tenant) -> None:
    items = [{"content": text, "document_id": f"odd/{name}/"} for name, text in KEPT.items()]
    answer = retain(call, *items, GOOD).json()
    assert (answer["items_count"], answer["item_errors"], answer["status"]) == (len(KEPT) + 1, [], "completed")
    with tenant_transaction(tenant.id):
        stored = dict(Document.objects.for_tenant(tenant.id).values_list("document_id", "text"))
    assert {f"odd/{name}/": text for name, text in KEPT.items()}.items() <= stored.items()
    for name, text in KEPT.items():
        shown = call("GET", f"/v1/banks/support/documents/odd/{name}/")
        assert json.loads(shown.content)["original_text"] == text


def test_200_000_emoji_are_kept_and_worked_through(call: Caller, tenant: Tenant) -> None:
    answer = retain(call, {"content": "🎉" * 200_000, "document_id": "party"}, GOOD).json()
    assert (answer["async"], answer["items_count"]) == (True, 2)
    perform(tenant.id, answer["operation_id"])
    assert call("GET", f"/v1/operations/{answer['operation_id']}").json()["status"] == "completed"
    assert call("GET", "/v1/banks/support/documents/party").json()["text_length"] == 200_000
    with tenant_transaction(tenant.id):
        assert MemoryUnit.objects.for_tenant(tenant.id).filter(text="Bob paints.").exists()


def test_a_message_of_emoji_alone_is_found_by_them(call: Caller) -> None:
    said = [{"role": "user", "name": "Alice", "content": text} for text in ("We won!", "🎉🥳", "See you on Monday.")]
    retain(call, {"messages": said})
    answer = call("POST", "/v1/banks/support/memories/recall", {"query": "🥳"}).json()
    assert [one["text"] for one in answer["results"]][:1] == ["Alice: 🎉🥳"]


def test_a_message_of_two_megabytes_is_accepted_as_it_is(call: Caller, tenant: Tenant) -> None:
    content = "Alice went to Lisbon. " * 95_400
    assert len(content) > 2 * 1024 * 1024 - 5_000
    message = {"role": "user", "name": "Alice", "content": content}
    answer = retain(call, {"messages": [message], "infer": False}, GOOD).json()
    assert (answer["async"], answer["items_count"]) == (True, 2)
    with tenant_transaction(tenant.id):
        assert Message.objects.for_tenant(tenant.id).get().content == content


def test_a_thousand_items_are_taken_and_one_more_is_not(call: Caller, tenant: Tenant) -> None:
    items = [{"messages": [{"role": "user", "content": f"Note {number}."}]} for number in range(1_001)]
    assert retain(call, *items, **{"async": True}).status_code == 422
    answer = retain(call, *items[:1_000], **{"async": True}).json()
    assert (answer["items_count"], answer["status"]) == (1_000, "pending")
    with tenant_transaction(tenant.id):
        assert Message.objects.for_tenant(tenant.id).count() == 1_000


def test_null_means_absent(call: Caller) -> None:
    names = ("timestamp", "context", "document_id", "update_mode", "tags", "metadata", "entities")
    assert retain(call, GOOD | dict.fromkeys(names)).json()["items_count"] == 1


def test_tags_that_came_as_json_are_a_list(call: Caller) -> None:
    retain(call, GOOD | {"tags": '["work", "home"]'})
    assert call("GET", "/v1/banks/support/memories").json()["items"][0]["tags"] == ["home", "work"]


def test_a_bank_id_that_no_bank_may_have_is_refused(call: Caller) -> None:
    assert call("POST", f"/v1/banks/{'b' * 201}/memories", {"items": [GOOD]}).status_code == 422
    assert call("POST", "/v1/banks/%20/memories", {"items": [GOOD]}).status_code == 422
