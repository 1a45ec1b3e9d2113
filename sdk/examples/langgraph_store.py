# ruff: noqa: INP001, T201  # an example is no package, and it prints
"""A LangGraph graph that remembers its users from one thread to the next.

Set MEMORYPLATFORM_URL and MEMORYPLATFORM_API_KEY. It needs no language model.
"""

import os
from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from memoryplatform_client import MemoryClient
from memoryplatform_client.adapters.langchain import MemoryRetriever
from memoryplatform_client.adapters.langgraph import MemoryStore


class State(TypedDict):
    user: str
    said: str
    answer: str


def remember(state: State, *, store: BaseStore) -> dict[str, str]:
    store.put(("facts", state["user"]), state["said"][:40], {"text": state["said"]})
    return {}


def answer(state: State, *, store: BaseStore) -> dict[str, str]:
    found = store.search(("facts", state["user"]), query="Where does the user live?", limit=1)
    return {"answer": found[0].value["text"]}


def main() -> None:
    with MemoryClient(os.environ["MEMORYPLATFORM_URL"], os.environ["MEMORYPLATFORM_API_KEY"]) as client:
        graph = StateGraph(State)
        graph.add_node("remember", remember)
        graph.add_node("reply", answer)
        graph.add_edge(START, "remember")
        graph.add_edge("remember", "reply")
        graph.add_edge("reply", END)
        compiled = graph.compile(store=MemoryStore(client))
        compiled.invoke({"user": "alice", "said": "I live in Lisbon.", "answer": ""})
        print(compiled.invoke({"user": "alice", "said": "I play chess.", "answer": ""})["answer"])

        client.retain("travel", "Bob sails to Rome.")
        retriever = MemoryRetriever(client=client, bank_id="travel", options={"max_tokens": 200})
        print(retriever.invoke("Where does Bob sail?")[0].page_content)


if __name__ == "__main__":
    main()
