"""Lists that fetch their pages on demand."""

from typing import Any

import httpx
import pytest

from memoryplatform_client import MemoryClient
from tests.sdk.scripted import Scripted, make_client

FACTS = [{"text": f"Bob owns {number} boats."} for number in range(7)]


def page(names: list[str], **fields: Any) -> httpx.Response:
    rows = [{"number": 1, "before": "", "after": name, "snippet": "", "engine": "", "actor": ""} for name in names]
    dated = [{**row, "created_at": "2024-01-01T00:00:00Z"} for row in rows]
    return httpx.Response(200, json={"items": dated, "limit": 2, "total": None, "next_cursor": None, **fields})


def asked(transport: Scripted) -> list[str]:
    return [request.url.query.decode() for request in transport.requests]


def test_a_cursor_leads_from_page_to_page_and_the_filter_stays() -> None:
    transport = Scripted(page(["a", "b"], total=3, offset=0, next_cursor="c1"), page(["c"], offset=0))
    rows = make_client(transport).background.revisions("b", limit=2, offset=0)
    assert [row.after for row in rows] == ["a", "b", "c"]
    assert asked(transport) == ["limit=2&offset=0", "limit=2&cursor=c1"]


def test_without_a_cursor_offsets_lead_to_the_total() -> None:
    pages = [page(["a", "b"], total=5, offset=0), page(["c", "d"], total=5, offset=2), page(["e"], total=5, offset=4)]
    transport = Scripted(*pages)
    assert len(list(make_client(transport).background.revisions("b", limit=2))) == 5
    assert asked(transport) == ["limit=2", "limit=2&offset=2", "limit=2&offset=4"]


def test_rows_that_go_meanwhile_do_not_make_it_endless() -> None:
    transport = Scripted(page(["a", "b"], total=5, offset=0), page([], total=5, offset=2))
    assert len(list(make_client(transport).background.revisions("b"))) == 2


def test_nothing_is_sent_before_a_row_is_wanted_and_one_page_is_one_request() -> None:
    transport = Scripted(page(["a", "b"], total=9, offset=0, next_cursor="c1"))
    rows = make_client(transport).background.revisions("b")
    assert transport.requests == []
    assert rows.first().total == 9
    assert len(transport.requests) == 1


@pytest.fixture
def boats(client: MemoryClient) -> MemoryClient:
    client.retain("boats", facts=FACTS)  # type: ignore[arg-type]  # made in a loop
    return client


def test_every_kind_of_list_is_read_to_its_end(boats: MemoryClient) -> None:
    assert {memory.text for memory in boats.memories.list("boats", limit=3)} == {fact["text"] for fact in FACTS}
    assert boats.memories.list("boats", limit=3).first().total == 7
    assert [len(page.items) for page in boats.memories.list("boats", limit=3).pages()] == [3, 3, 1]
    for name in ("a", "b", "c"):
        boats.banks.create(name)
    assert [bank.bank_id for bank in boats.banks.list(limit=2)] == ["c", "b", "a", "boats"]
    assert {operation.kind for operation in boats.operations.list(limit=1)} >= {"retain"}


def test_a_ranked_list_continues_by_offset(boats: MemoryClient) -> None:
    relations = [{"subject": "Bob", "relation": f"likes_{n}", "object": f"Boat {n}"} for n in range(5)]
    boats.retain("boats", facts=[{"text": "Bob likes boats.", "relations": relations}])  # type: ignore[typeddict-item]
    found = list(boats.relationships.list("boats", q="Bob likes boats", limit=2))
    assert len(found) == len({row.id for row in found}) == 5
    assert all(row.score for row in found)
