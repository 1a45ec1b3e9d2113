"""A repeated fact: the newest statement decides its metadata, unless the memory is immutable."""

from typing import Any

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text

TEXT = "Bob keeps a boat in Lagos."
PAST, FUTURE = "2020-01-01", "2190-01-01"


@pytest.fixture
def call(alice: Tenant) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def add(call: Caller, text: str = TEXT, **options: Any) -> Any:
    answer = call("POST", "/v3/memories/add/", {"messages": text, "user_id": "bob", "infer": False, **options})
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def listed(call: Caller, **filters: Any) -> list[dict[str, Any]]:
    body = {"filters": {"user_id": "bob", **filters}}
    rows: list[dict[str, Any]] = call("POST", "/v3/memories/", body).json()["results"]
    return rows


def found(call: Caller, **filters: Any) -> list[str]:
    body = {"query": "Who keeps a boat?", "filters": {"user_id": "bob", **filters}, "threshold": 0.0}
    rows = call("POST", "/v3/memories/search/", body).json()["results"]
    return [row["memory"] for row in rows]


def test_an_expired_memory_becomes_visible_again(call: Caller) -> None:
    add(call, expiration_date=PAST)
    assert (listed(call), found(call)) == ([], [])
    add(call)
    assert [row["expiration_date"] for row in listed(call)] == [None]
    assert found(call) == [TEXT]


def test_an_expired_memory_gets_a_new_expiration_date(call: Caller) -> None:
    add(call, expiration_date=PAST)
    add(call, expiration_date=FUTURE)
    assert [row["expiration_date"] for row in listed(call)] == [FUTURE]
    assert found(call) == [TEXT]
    add(call, expiration_date=PAST)
    assert (listed(call), found(call)) == ([], [])


def test_an_immutable_memory_keeps_its_metadata(call: Caller) -> None:
    (first,) = add(call, immutable=True, metadata={"source": "chat"})
    add(call, metadata={"source": "mail", "page": 3})
    add(call, immutable=True, metadata={"source": "radio"})
    assert [row["metadata"] for row in listed(call)] == [{"source": "chat"}]
    assert found(call, metadata={"source": "mail"}) == []
    assert call("PUT", f"/v1/memories/{first['id']}/", {"text": "Bob keeps a raft."}).status_code == 400


def test_an_expired_immutable_memory_becomes_visible_again(call: Caller) -> None:
    add(call, immutable=True, expiration_date=PAST, metadata={"source": "chat"})
    add(call, metadata={"source": "mail"})
    assert [(row["metadata"], row["expiration_date"]) for row in listed(call)] == [({"source": "chat"}, None)]


def test_a_name_has_the_value_of_the_newest_statement(call: Caller) -> None:
    add(call, metadata={"source": "chat", "page": 3})
    for source in ("mail", "chat"):
        add(call, metadata={"source": source})
        assert [row["metadata"] for row in listed(call)] == [{"source": source, "page": 3}]
        for asked in ("chat", "mail"):
            expected = [TEXT] if asked == source else []
            assert found(call, metadata={"source": asked}) == expected
            assert [row["memory"] for row in listed(call, metadata={"source": asked})] == expected


def test_facts_that_are_taken_from_a_conversation_follow_it(call: Caller) -> None:
    options = {"infer": True, "async_mode": False}
    add(call, "I live in Lagos.", metadata={"source": "chat"}, expiration_date=PAST, **options)
    add(call, "I live in Lagos.", metadata={"source": "mail"}, **options)
    rows = listed(call)
    assert rows
    assert {row["metadata"]["source"] for row in rows} == {"mail"}


@pytest.mark.parametrize("infer", [True, False])
def test_other_memories_stay_as_they_are(call: Caller, infer: bool) -> None:  # noqa: FBT001  # a case of the table
    options = {"infer": infer, "async_mode": False}
    add(call, "I play the cello.", metadata={"source": "chat"}, expiration_date=FUTURE, **options)
    before = listed(call)
    add(call, "My sister studies law in Ghent.", metadata={"source": "mail"}, **options)
    known = {row["id"] for row in before}
    assert [row for row in listed(call) if row["id"] in known] == before


def test_former_values_are_in_the_history(call: Caller) -> None:
    (first,) = add(call, metadata={"source": "chat"})
    for told in ({"source": "chat"}, {"page": 3}, {"source": "mail"}):
        add(call, metadata=told)
    call("POST", "/v1/feedback/", {"memory_id": first["id"], "feedback": "POSITIVE"})
    call("PUT", f"/v1/memories/{first['id']}/", {"metadata": {}})
    steps = call("GET", f"/v1/memories/{first['id']}/history/").json()
    assert [(step["event"], step["metadata"]) for step in steps] == [
        ("ADD", {"source": "chat"}),
        ("UPDATE", {"source": "chat", "page": 3}),
        ("UPDATE", {"source": "mail", "page": 3}),
        ("UPDATE", {}),
    ]


def test_first_metadata_is_in_the_history(call: Caller) -> None:
    (first,) = add(call)
    add(call, metadata={"source": "mail"})
    steps = call("GET", f"/v1/memories/{first['id']}/history/").json()
    assert [step["metadata"] for step in steps] == [{}, {"source": "mail"}]


def test_metadata_of_an_update_takes_the_place_of_all_before(call: Caller) -> None:
    (first,) = add(call, metadata={"source": "chat"})
    assert call("PUT", f"/v1/memories/{first['id']}/", {"metadata": {"source": "mail"}}).status_code == 200
    assert found(call, metadata={"source": "chat"}) == []
    assert found(call, metadata={"source": "mail"}) == [TEXT]


@pytest.mark.parametrize("infer", [True, False])
def test_a_merged_memory_has_the_metadata_of_the_merged_statement(call: Caller, infer: bool) -> None:  # noqa: FBT001  # a case of the table
    options = {"infer": infer, "async_mode": False}
    add(call, "I own a red car.", metadata={"source": "chat"}, expiration_date=PAST, **options)
    add(call, "I own a red car, a Fiat.", metadata={"source": "mail"}, **options)
    (grown,) = listed(call)
    assert (grown["metadata"], grown["expiration_date"]) == ({"source": "mail"}, None)
    add(call, "I own a red car.", metadata={"source": "chat"}, expiration_date=PAST, **options)
    assert [row["metadata"] for row in listed(call)] == [{"source": "mail"}]
