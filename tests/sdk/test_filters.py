"""A deletion with an empty filter is refused before anything is sent."""

from typing import Any

import httpx
import pytest

from memoryplatform_client import UnusableFilter
from tests.sdk.scripted import Scripted, make_client

CLEARED = httpx.Response(
    200,
    json={
        "success": True,
        "message": "",
        "deleted_count": 0,
        "relationships_deleted": 0,
        "entities_deleted": 0,
        "operation_id": None,
    },
)


@pytest.mark.parametrize(
    "wanted",
    [
        {"document_id": ""},
        {"thread": None},
        {"tags": []},
        {"tags": [None]},
        {"tags": ["a", ""]},
        {"tags": (), "tags_match": "exact"},
    ],
)
def test_a_filter_without_a_value_clears_nothing(wanted: dict[str, Any]) -> None:
    transport = Scripted()
    with make_client(transport) as client, pytest.raises(UnusableFilter, match=next(iter(wanted))):
        client.memories.clear("support", **wanted)
    assert transport.requests == []


def test_a_filter_with_a_value_is_sent_as_it_is() -> None:
    transport = Scripted(CLEARED)
    tags: Any = {"team"}
    with make_client(transport) as client:
        client.memories.clear("support", tags=tags, tags_match="exact")
    assert transport.requests[0].url.query == b"tags=team&tags_match=exact"
