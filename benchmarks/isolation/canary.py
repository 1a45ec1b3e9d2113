"""`benchmark canary`: needs no data. Many requests with the keys of several tenants at once, in search of a leak.

Each tenant has a word of its own in every text that it stores. A word in an answer to another tenant's key is a leak.
All tenants use the same ids of banks, documents and people, so that only the wall between them tells them apart.
"""

import random
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection
from time import perf_counter
from typing import Any
from uuid import UUID

import orjson
from django.test.utils import override_settings

from benchmarks.latency.web import NotServed, serve
from benchmarks.options import Options
from benchmarks.report import Goal, describe_goals
from benchmarks.tenant import make_access, make_bank
from tenants.identifiers import uuid7
from tenants.keys import make_key
from tenants.transactions import tenant_transaction

REQUESTS = 20_000
TENANTS = 8
THREADS = 16
FACTS = 20  # of each tenant at the start
BANK = "/v1/banks/support"
UNLIMITED = {"RATE_LIMIT_PER_KEY": 1_000_000, "RATE_LIMIT_PER_TENANT": 1_000_000}  # a minute
FOUND, NOT_FOUND = 200, 404
# Kinds of requests with their weights: method, path and body. {own} and {foreign} are words, {mine} and {theirs} ids.
KINDS: dict[str, tuple[int, str, str, Any]] = {
    "recall": (20, "POST", f"{BANK}/memories/recall", {"query": "Who keeps the {own}?", "rerank": False}),
    "recall of a foreign word": (
        10,
        "POST",
        f"{BANK}/memories/recall",
        {"query": "Who keeps the {foreign}?", "rerank": False, "include": {"chunks": {}, "entities": {}}},
    ),
    "recall in all banks": (5, "POST", "/v1/recall", {"query": "parcel", "banks": ["support"], "rerank": False}),
    "memories": (10, "GET", f"{BANK}/memories?limit=50", None),
    "memories by a foreign word": (10, "GET", f"{BANK}/memories?q={{foreign}}", None),
    "an own memory": (5, "GET", f"{BANK}/memories/{{mine}}", None),
    "a foreign memory": (10, "GET", f"{BANK}/memories/{{theirs}}", None),
    "an edit of a foreign memory": (2, "PATCH", f"{BANK}/memories/{{theirs}}", {"text": "Taken over."}),
    "entities": (5, "GET", f"{BANK}/entities", None),
    "a graph": (2, "GET", f"{BANK}/graph", None),
    "a document": (5, "GET", f"{BANK}/documents/shared", None),
    "tags": (3, "GET", f"{BANK}/tags", None),
    "operations": (3, "GET", "/v1/operations", None),
    "the account": (3, "GET", "/v1/account", None),
    "an export": (1, "GET", f"{BANK}/export", None),
    "retain": (6, "POST", f"{BANK}/memories", {"items": [{"facts": [{"text": "Ana keeps the {own} of {fresh}."}]}]}),
}


@dataclass
class Person:
    """A tenant with its word and the ids of its memories."""

    tenant_id: UUID
    key: str
    word: str
    memory_ids: list[str]


@dataclass
class Counts:
    kinds: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    own_words: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def run(options: Options) -> dict[str, Any]:
    requests = options.limit or REQUESTS
    with override_settings(**UNLIMITED), serve() as port:
        people = [make_person(port) for _ in range(TENANTS)]
        began = perf_counter()
        counts = hunt(port, people, requests=requests, threads=THREADS)
        seconds = perf_counter() - began
    goals = [
        Goal("answers with a word of another tenant", len(counts.leaks), at_most=0),
        Goal("answers with another status than expected", len(counts.unexpected), at_most=0),
        Goal("answers with the own word", counts.own_words, at_least=1),
    ]
    return {
        "goals": describe_goals(goals),
        "requests": sum(counts.kinds.values()),
        "tenants": TENANTS,
        "threads": THREADS,
        "requests_per_second": round(requests / seconds, 1),
        "kinds": dict(counts.kinds.most_common()),
        "leaks": counts.leaks[:20],
        "unexpected": counts.unexpected[:20],
    }


def make_person(port: int) -> Person:
    access, word = make_access(), f"canary{uuid7().hex}"
    make_bank(access, "support")
    with tenant_transaction(access.tenant_id):
        key = make_key(access.tenant_id, name="benchmark", scopes=["read", "write"])[1]
    facts = [{"text": f"Ana keeps the {word} in room {room}.", "entities": ["Ana", word]} for room in range(FACTS)]
    item = {"facts": facts, "document_id": "shared", "tags": [word]}
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    status, answer = ask(connection, key, "POST", f"{BANK}/memories", {"items": [item]})
    connection.close()
    if status != FOUND:
        raise NotServed(f"The first retain answered {status}.")
    return Person(access.tenant_id, key, word, orjson.loads(answer)["unit_ids"])


def hunt(port: int, people: Sequence[Person], *, requests: int, threads: int) -> Counts:
    """Each thread keeps one connection and changes the key with every request."""
    counts, words = Counts(), {one.word.encode(): one for one in people}
    shares = [requests // threads + (place < requests % threads) for place in range(threads)]

    def work(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311  # repeatable
        connection = HTTPConnection("127.0.0.1", port, timeout=120)
        for _ in range(shares[seed]):
            person, other = chance.sample(people, 2)
            kind = chance.choices(list(KINDS), [one[0] for one in KINDS.values()])[0]
            _, method, path, body = KINDS[kind]
            filled = fill((method, path, body), person, other, chance)
            status, answer = ask(connection, person.key, *filled)
            with counts.lock:
                judge(counts, kind, person, status, [words[word] for word in words if word in answer])
        connection.close()

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, seed) for seed in range(threads)]:
            done.result()
    return counts


def fill(request: tuple[str, str, Any], person: Person, other: Person, chance: random.Random) -> tuple[str, str, Any]:
    values = {
        "{own}": person.word,
        "{foreign}": other.word,
        "{mine}": chance.choice(person.memory_ids),
        "{theirs}": chance.choice(other.memory_ids),
        "{fresh}": str(chance.getrandbits(40)),
    }
    text = orjson.dumps(request).decode()
    for name, value in values.items():
        text = text.replace(name, value)
    method, path, body = orjson.loads(text)
    return method, path, body


def ask(connection: HTTPConnection, key: str, method: str, path: str, body: Any) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request(method, path, None if body is None else orjson.dumps(body), headers)
    response = connection.getresponse()
    return response.status, response.read()


def judge(counts: Counts, kind: str, person: Person, status: int, seen: Sequence[Person]) -> None:
    counts.kinds[kind] += 1
    counts.own_words += person in seen
    if status != (NOT_FOUND if "{theirs}" in KINDS[kind][2] else FOUND):
        counts.unexpected.append(f"{kind}: {status}")
    if any(one is not person for one in seen):
        counts.leaks.append(f"{kind}: {status}")
