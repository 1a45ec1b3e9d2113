"""Events list the memories that they added."""

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text


def test_a_page_of_events_takes_as_many_queries_as_one(alice: Tenant) -> None:
    call = Caller(make_key_with_text(alice)[1])
    added = [add(call, text) for text in ("I keep bees.", "I play the cello.", "I keep bees.", "I sail to Lagos.")]
    call("DELETE", f"/v1/memories/{added[1][0]['id']}/")
    call("DELETE", "/v1/memories/?run_id=none")
    (single,), few = read_events(call, "?page=2&page_size=1")
    events, many = read_events(call, "")
    assert [event["results"] for event in events] == [[], added[3], [], [], added[0]]
    assert (events[1], many) == (single, few)
    assert [call("GET", f"/v1/event/{event['id']}/").json() for event in events] == events


def add(call: Caller, text: str) -> Any:
    said = {"messages": text, "user_id": "bob", "infer": False}
    return call("POST", "/v3/memories/add/", said).json()["results"]


def read_events(call: Caller, page: str) -> tuple[list[dict[str, Any]], int]:
    """A page of events, and the number of SQL statements that it took."""
    with CaptureQueriesContext(connection) as captured:
        answer = call("GET", f"/v1/events/{page}")
        return answer.json()["results"], len(captured)
