"""No id in a path leads to another route, and every valid id arrives unchanged."""

from collections.abc import Callable

import httpx
import pytest

from memoryplatform_client import MemoryClient, UnusableId
from tests.sdk.conftest import Service
from tests.sdk.scripted import Scripted, make_client

LEADING_ELSEWHERE = ["", ".", "..", "../..", "a/../b", "./a", "a/..", "a/b/.", "../../alice/documents/pin", "a/chunks"]
CALLS: dict[str, Callable[[MemoryClient, str], object]] = {
    "get a bank": lambda client, name: client.banks.get(name),
    "delete a bank": lambda client, name: client.banks.delete(name),
    "retain": lambda client, name: client.retain(name, "text"),
    "recall": lambda client, name: client.recall(name, "query"),
    "export": lambda client, name: list(client.transfer.export(name)),
    "get a memory": lambda client, name: client.memories.get("bank", name),
    "delete a mental model": lambda client, name: client.mental_models.delete("bank", name),
    "get a document": lambda client, name: client.documents.get("bank", name),
    "delete a document": lambda client, name: client.documents.delete("bank", name),
    "list chunks": lambda client, name: list(client.documents.chunks("bank", name)),
    "of a bank": lambda client, name: client.documents.delete(name, "document"),
}


@pytest.mark.parametrize("given", LEADING_ELSEWHERE)
@pytest.mark.parametrize("name", CALLS)
def test_an_id_that_leads_elsewhere_is_not_sent(name: str, given: str) -> None:
    transport = Scripted()
    with make_client(transport) as client, pytest.raises(UnusableId, match="An id must not"):
        CALLS[name](client, given)
    assert transport.requests == []


def test_a_slash_is_no_part_of_a_bank_id() -> None:
    with make_client(Scripted()) as client, pytest.raises(UnusableId):
        client.banks.delete("alice/documents/pin")


@pytest.mark.parametrize("given", ["...", "..a", ".env", "a%2Fb", "%2e%2e", "a b", "ä?#&+;=", "a\\..\\b", "~", "C:"])
def test_other_characters_are_characters(given: str) -> None:
    transport = Scripted(httpx.Response(204), httpx.Response(204))
    with make_client(transport) as client:
        client.mental_models.delete(given, "model")
        client.mental_models.delete("bank", given)
    sent = [request.url.path for request in transport.requests]
    assert sent == [f"/v1/banks/{given}/mental-models/model", f"/v1/banks/bank/mental-models/{given}"]


LEGAL = [
    ("...", "/abs/path.md"),
    (".hidden", "a//b"),
    ("a b", "a/"),
    ("ä?#&+;=%2F", "..."),
    ("50%", "chunks"),
    ("a\\b", "50% off?#1"),
    ("%2e%2e", "ä b\\c"),
    ("b", "..x/y.."),
]


@pytest.mark.parametrize(("bank_id", "document_id"), LEGAL)
def test_legal_ids_arrive(service: Service, bank_id: str, document_id: str) -> None:
    with MemoryClient(service.url, service.key) as client:
        client.retain(bank_id, facts=[{"text": "Bob sails."}], document_id=document_id)
        assert client.documents.get(bank_id, document_id).id == document_id
        assert client.documents.delete(bank_id, document_id).memory_units_deleted == 1
        assert client.banks.get(bank_id).bank_id == bank_id
