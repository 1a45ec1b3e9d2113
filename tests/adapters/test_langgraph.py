"""The store behaves like LangGraph's in-memory store, and finds items by meaning."""

import asyncio

import httpx
import pytest
from langgraph.store.base import BaseStore, GetOp, Item
from langgraph.store.memory import InMemoryStore

from memoryplatform_client import MemoryClient
from memoryplatform_client.adapters.langchain import MemoryRetriever
from memoryplatform_client.adapters.langgraph import MemoryStore
from tests.sdk.conftest import Service

ALICE, BOB = ("memories", "alice"), ("memories", "bob@example/ü %2E")


@pytest.fixture(params=["ours", "theirs"])
def store(request: pytest.FixtureRequest, client: MemoryClient) -> BaseStore:
    """Tests of the common behaviour run on both stores."""
    return MemoryStore(client) if request.param == "ours" else InMemoryStore()


def fill(store: BaseStore) -> None:
    store.put(ALICE, "home", {"text": "Alice lives in Lisbon.", "age": 30})
    store.put(ALICE, "../chunks", {"text": "Alice plays chess.", "age": 40, "deep": {"a": 1}})
    store.put(BOB, "home", {"text": "Bob lives in Rome.", "age": 50})


def test_items_are_put_got_replaced_and_deleted(store: BaseStore) -> None:
    fill(store)
    item = store.get(ALICE, "home")
    assert isinstance(item, Item)
    assert (item.value["age"], item.key, item.namespace) == (30, "home", ALICE)
    store.put(ALICE, "home", {"text": "Alice lives in Porto."})
    assert (replaced := store.get(ALICE, "home"))
    assert replaced.value == {"text": "Alice lives in Porto."}
    assert replaced.updated_at > item.updated_at
    store.delete(ALICE, "home")
    store.delete(ALICE, "home")
    assert store.get(ALICE, "home") is None
    assert store.get(("no", "such"), "home") is None
    assert store.batch([GetOp(("memories.alice",), "../chunks")]) == [None]
    assert store.get(ALICE, "../chunks") is not None


def test_a_search_stays_in_its_namespace_and_filters(store: BaseStore) -> None:
    fill(store)
    assert {one.value["age"] for one in store.search(ALICE)} == {30, 40}
    assert {one.value["age"] for one in store.search(("memories",))} == {30, 40, 50}
    assert [one.value["age"] for one in store.search(("memories",), filter={"age": {"$gt": 30, "$lt": 50}})] == [40]
    assert [one.namespace for one in store.search((), filter={"text": "Bob lives in Rome."})] == [BOB]
    assert [one.key for one in store.search(ALICE, filter={"deep": {"a": 1}})] == ["../chunks"]
    assert len(store.search(("memories",), limit=2)) == 2
    assert len(store.search(("memories",), limit=2, offset=2)) == 1


def test_namespaces_are_listed(store: BaseStore) -> None:
    fill(store)
    store.put(("other",), "k", {"text": "x"})
    assert store.list_namespaces() == [ALICE, BOB, ("other",)]
    assert store.list_namespaces(prefix=("memories",)) == [ALICE, BOB]
    assert store.list_namespaces(prefix=("*", "alice")) == [ALICE]
    assert store.list_namespaces(suffix=("alice",)) == [ALICE]
    assert store.list_namespaces(max_depth=1) == [("memories",), ("other",)]
    assert store.list_namespaces(limit=1, offset=1) == [BOB]


def test_a_query_ranks_by_meaning(client: MemoryClient) -> None:
    store = MemoryStore(client)
    fill(store)
    found = store.search(("memories",), query="Where does Alice live?", limit=2)
    assert found[0].value["text"] == "Alice lives in Lisbon."
    assert found[0].score is not None
    assert [one.key for one in store.search(BOB, query="Who lives where?")] == ["home"]


def test_a_search_asks_for_the_banks_of_its_namespace_alone(service: Service) -> None:
    asked: list[httpx.URL] = []

    class Recording(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(request.url)
            return super().handle_request(request)

    with MemoryClient(service.url, service.key, transport=Recording()) as client:
        store = MemoryStore(client)
        fill(store)
        store.put((*ALICE, "deep"), "job", {"text": "Alice works at Google."})
        store.put(("memories", "alice2"), "home", {"text": "Alice lives in Faro."})
        asked.clear()
        found = store.search(ALICE, query="Where does Alice live?")
        listed = [url.params for url in asked if url.path.endswith("/banks")]
        assert {one.namespace for one in found} == {ALICE, (*ALICE, "deep")}
        assert [dict(one) for one in listed] == [{"q": "langgraph.memories.alice", "limit": "200"}]
        asked.clear()
        assert store.list_namespaces(prefix=("memories", "*", "deep")) == [(*ALICE, "deep")]
        assert [url.params["q"] for url in asked] == ["langgraph.memories"]


def test_stores_of_different_prefixes_are_apart(client: MemoryClient) -> None:
    fill(MemoryStore(client, prefix="one"))
    assert MemoryStore(client, prefix="on").list_namespaces() == []
    with pytest.raises(ValueError, match="period"):
        MemoryStore(client, prefix="a.b")


def test_a_store_is_awaited(client: MemoryClient) -> None:
    async def use() -> Item | None:
        store = MemoryStore(client)
        await store.aput(ALICE, "home", {"text": "Alice lives in Lisbon."})
        return await store.aget(ALICE, "home")

    item = asyncio.run(use())
    assert item is not None
    assert item.value == {"text": "Alice lives in Lisbon."}


def test_a_retriever_finds_nothing_before_something_is_retained(client: MemoryClient) -> None:
    retriever = MemoryRetriever(client=client, bank_id="new")
    assert retriever.invoke("What do you know of me?") == []
    assert asyncio.run(retriever.ainvoke("What do you know of me?")) == []


def test_a_retriever_gives_documents(client: MemoryClient) -> None:
    client.retain("travel", "Bob sails to Rome.", tags=["sea"])
    retriever = MemoryRetriever(client=client, bank_id="travel", options={"max_tokens": 50})
    (found,) = retriever.invoke("Where does Bob sail?")
    assert found.page_content == "Bob sails to Rome."
    assert (found.metadata["bank_id"], found.metadata["tags"]) == ("travel", ["sea"])
    assert asyncio.run(retriever.ainvoke("Where does Bob sail?"))[0].id == found.id
