"""A text with a lone surrogate is refused before sending, in every field."""

from collections.abc import Callable

import pytest

from memoryplatform_client import MemoryClient, UnusableText
from tests.sdk.scripted import Scripted, make_client

HALF = "caf\ud800"
CALLS: dict[str, Callable[[MemoryClient], object]] = {
    "a body": lambda client: client.retain("support", HALF),
    "a query": lambda client: list(client.memories.list("support", q=HALF)),
    "an address": lambda client: client.banks.get(HALF),
    "an address of a document": lambda client: client.documents.get("support", HALF),
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_sent(name: str) -> None:
    transport = Scripted()
    with make_client(transport) as client, pytest.raises(UnusableText, match="caf"):
        CALLS[name](client)
    assert transport.requests == []
