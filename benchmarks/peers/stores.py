"""Memories that are compared: each stores the turns of a case, and finds turns for a question, best first.

All of them embed with the same model, and store one text "Name: words" a turn unless they take messages.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import bm25s
import httpx
from django.db import connections

from benchmarks.option_table import split
from benchmarks.progress import in_batches
from benchmarks.recall.asking import Haystack
from benchmarks.recall.cases import Asked, Case, SpokenTurn
from benchmarks.recall.quoting import list_quotes, rank_turns
from benchmarks.recall.retaining import retain_case
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from providers.registry import get_embedder
from retrieval.types import BUDGETS, RecallQuery

MOST = 50  # turns that are found for a question
TOKENS = 16_384  # for those who answer with a number of tokens
EMBEDDED_AT_ONCE = 256
SENT_AT_ONCE = 50
REQUEST_SECONDS = 600.0
TABLE = "benchmark_peer_vectors"


class Peer(Protocol):
    name: str

    def fill(self, case: Case) -> None: ...

    def search(self, case: Case, question: Asked) -> list[str]:
        """Keys of turns."""
        ...

    def close(self) -> None: ...


def write_turn(turn: SpokenTurn) -> str:
    return f"{turn.name or turn.role}: {turn.text}"


class Ours:
    """As a caller gets it: within the time box of the budget."""

    def __init__(self, access: BankAccess, budget: str) -> None:
        self.name = f"this service, {budget}"
        self._access, self._budget = access, BUDGETS[budget]
        self._haystacks: dict[str, Haystack] = {}

    def fill(self, case: Case) -> None:
        self._haystacks[case.name] = retain_case(self._access, case)

    def search(self, case: Case, question: Asked) -> list[str]:
        query = RecallQuery(
            question.text, question.asked_at, max_tokens=TOKENS, budget=self._budget, fills=True, max_results=4 * MOST
        )
        found = recall(self._access, [case.name], query).result
        return rank_turns(list_quotes(found.items, self._haystacks[case.name].turn_of))

    def close(self) -> None:
        pass


class PlainVectors:
    """Cosines in Postgres with pgvector, without an index: the exact order."""

    name = "pgvector, cosine"

    def __init__(self) -> None:
        dimension = int(get_embedder().dimension)
        self._execute(f"DROP TABLE IF EXISTS {TABLE}")
        self._execute(f"CREATE UNLOGGED TABLE {TABLE} (name text, turn text, embedding vector({dimension}))")

    def fill(self, case: Case) -> None:
        for turns in in_batches(case.turns, EMBEDDED_AT_ONCE):
            vectors = embed([write_turn(turn) for turn in turns])
            with connections["owner"].cursor() as cursor:
                cursor.executemany(
                    f"INSERT INTO {TABLE} VALUES (%s, %s, %s)",  # noqa: S608  # a constant
                    [(case.name, turn.key, str(vector)) for turn, vector in zip(turns, vectors, strict=True)],
                )

    def search(self, case: Case, question: Asked) -> list[str]:
        wanted = str(embed_query(question.text))
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                f"SELECT turn FROM {TABLE} WHERE name = %s ORDER BY embedding <=> %s LIMIT {MOST}",  # noqa: S608
                [case.name, wanted],
            )
            return [turn for (turn,) in cursor.fetchall()]

    def close(self) -> None:
        self._execute(f"DROP TABLE {TABLE}")

    def _execute(self, statement: str) -> None:
        with connections["owner"].cursor() as cursor:
            cursor.execute(statement)


class Words:
    """BM25 in memory."""

    name = "bm25s"

    def __init__(self) -> None:
        self._indexes: dict[str, bm25s.BM25] = {}

    def fill(self, case: Case) -> None:
        index = bm25s.BM25()
        index.index(tokenize([write_turn(turn) for turn in case.turns]), show_progress=False)
        self._indexes[case.name] = index

    def search(self, case: Case, question: Asked) -> list[str]:
        most = min(MOST, len(case.turns))
        places, _ = self._indexes[case.name].retrieve(tokenize([question.text]), k=most, show_progress=False)
        return [case.turns[int(place)].key for place in places[0]]

    def close(self) -> None:
        pass


class Mem0:
    """mem0's open-source library with its local store. It stores each turn as it is (`infer=False`)."""

    name = "mem0 (open source)"

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("OPENAI_API_KEY", "unused")  # its model is made, and never called
        from mem0 import Memory  # it reads the environment when it is imported

        store = {"path": str(folder / "store"), "embedding_model_dims": get_embedder().dimension, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = SameEmbedder()

    def fill(self, case: Case) -> None:
        for turn in case.turns:
            message = {"role": "user", "content": write_turn(turn)}
            self._memory.add([message], user_id=case.name, metadata={"turn": turn.key}, infer=False)

    def search(self, case: Case, question: Asked) -> list[str]:
        found = self._memory.search(question.text, filters={"user_id": case.name}, top_k=MOST, threshold=0.0)
        return [one["metadata"]["turn"] for one in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()


class SameEmbedder:
    """In the shape of mem0's embedders."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return embed_query(text) if memory_action == "search" else embed([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


class HindsightServer:
    """Any server that speaks Hindsight's interface. A turn is a document, so that results name their turns."""

    def __init__(self, url: str, key: str, budget: str = "mid") -> None:
        self.name = f"{url}, {budget}"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(
            base_url=f"{url.rstrip('/')}/v1/default/banks", headers=headers, timeout=REQUEST_SECONDS
        )
        self._budget = budget

    def fill(self, case: Case) -> None:
        self._client.put(f"/peer-{case.name}", json={"name": case.name}).raise_for_status()
        for turns in in_batches(case.turns, SENT_AT_ONCE):
            items = [
                {"content": write_turn(turn), "timestamp": turn.said_at.isoformat(), "document_id": turn.key}
                for turn in turns
            ]
            self._client.post(f"/peer-{case.name}/memories", json={"items": items}).raise_for_status()

    def search(self, case: Case, question: Asked) -> list[str]:
        wanted = {"query": question.text, "budget": self._budget, "max_tokens": TOKENS}
        answer = self._client.post(f"/peer-{case.name}/memories/recall", json=wanted).raise_for_status().json()
        found = [one.get("document_id") for one in answer["results"]]
        return list(dict.fromkeys(key for key in found if key))[:MOST]

    def close(self) -> None:
        self._client.close()


@contextmanager
def opened_peers(access: BankAccess, hindsight_url: str, hindsight_key: str) -> Iterator[list[Peer]]:
    with TemporaryDirectory() as folder:
        peers: list[Peer] = [Ours(access, "low"), Ours(access, "mid"), PlainVectors(), Words(), Mem0(Path(folder))]
        peers += [HindsightServer(url, hindsight_key) for url in split(hindsight_url)]
        try:
            yield peers
        finally:
            for peer in peers:
                peer.close()


def tokenize(texts: Sequence[str]) -> Any:
    return bm25s.tokenize(list(texts), stopwords="en", show_progress=False)


def embed(texts: Sequence[str]) -> list[list[float]]:
    return [list(map(float, vector)) for vector in get_embedder().embed_documents(list(texts)).vectors]


def embed_query(text: str) -> list[float]:
    return list(map(float, get_embedder().embed_query(text).vector))
