"""A client of the service that keeps to its rules: it repeats a call under the same key until it is answered."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx

BANK = "/v1/banks/cellar"
LIMIT_SECONDS = 30.0  # of one request
PATIENCE_SECONDS = 90.0  # for all tries of one call
PEOPLE = ("Alice", "Bruno", "Carla", "Diego")
ANSWERED = {200, 201, 202, 204}
OF_THE_MODEL = {502, 503, 504}


class Hang(AssertionError):
    """No answer within the time limit of a request."""


@dataclass
class Parcel:
    """One accepted message or document, its operation, and whether its deletion was accepted."""

    word: str
    who: str
    as_document: bool
    operation_id: str = ""
    is_deleted: bool = False

    @property
    def text(self) -> str:
        return f"{self.who} stored parcel {self.word} in the cellar."

    @property
    def item(self) -> dict[str, Any]:
        if self.as_document:
            return {"content": self.text, "document_id": self.word}
        return {"thread": self.word, "messages": [{"role": "user", "content": self.text, "name": self.who}]}


@dataclass
class Client:
    url: str
    key: str
    seed: int
    parcels: list[Parcel] = field(default_factory=list)
    unavailable: int = 0
    slowest: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311  # repeatable

    def call(self, method: str, path: str, body: Any = None, *, also: frozenset[int] = frozenset()) -> httpx.Response:
        """Repeats the call while the service is away. Any other refusal is a fault."""
        headers = {"Authorization": f"Bearer {self.key}"}
        if method == "POST":
            headers["Idempotency-Key"] = str(UUID(int=self.random.getrandbits(128), version=4))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = self._try(method, path, body, headers)
            if answer is not None and answer.status_code in ANSWERED | also:
                return answer
            assert time.monotonic() < deadline, f"{method} {path}: {answer and answer.text}"
            time.sleep(float(answer.headers.get("Retry-After", 1)) if answer is not None else 0.2)

    def _try(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response | None:
        """None where the connection broke, as it does when the web process dies."""
        with self._watched(method, path):
            try:
                answer = httpx.request(method, self.url + path, json=body, headers=headers, timeout=LIMIT_SECONDS)
            except (httpx.ConnectError, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                return None
        if answer.status_code == 503:
            self.unavailable += 1
            assert "Retry-After" in answer.headers, answer.text
        else:
            assert answer.status_code < 500 or answer.status_code in OF_THE_MODEL, f"{path}: {answer.text}"
        return answer

    @contextmanager
    def _watched(self, method: str, path: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        except httpx.TimeoutException as error:
            raise Hang(f"{method} {path} had no answer within {LIMIT_SECONDS:.0f} s") from error
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)

    def retain(self) -> None:
        word = f"p{self.random.getrandbits(48):012x}"
        parcel = Parcel(word, self.random.choice(PEOPLE), as_document=self.random.random() < 0.3)
        answer = self.call("POST", f"{BANK}/memories", {"items": [parcel.item], "async": True})
        parcel.operation_id = answer.json()["operation_id"]
        self.parcels.append(parcel)

    def delete(self) -> None:
        """Delete a document of those that were accepted; its retain may be under way."""
        kept = [one for one in self.parcels if one.as_document and not one.is_deleted]
        if kept:
            chosen = self.random.choice(kept)
            self.call("DELETE", f"{BANK}/documents/{chosen.word}", also=frozenset({404}))
            chosen.is_deleted = True

    def reflect(self) -> None:
        """A model that is ill may fail an answer. Then nothing is to be stored of it."""
        self.call("POST", f"{BANK}/reflect", {"query": "Is the cellar well kept?"}, also=frozenset(OF_THE_MODEL))

    def act(self) -> None:
        kind = self.random.random()
        if kind < 0.08:
            self.reflect()
        elif kind < 0.2:
            self.delete()
        self.retain()

    def await_ends(self, *, seconds: float) -> None:
        """Wait for every retain. One that failed is retried, as its owner would do."""
        deadline = time.monotonic() + seconds
        waiting = {one.operation_id for one in self.parcels}
        while waiting:
            for operation_id in list(waiting):
                found = self.call("GET", f"/v1/operations/{operation_id}", also=frozenset({404}))
                status = found.json().get("status", "gone")
                if status == "failed" and not self._is_deleted(operation_id):
                    self.call("POST", f"/v1/operations/{operation_id}/retry", also=frozenset({409}))
                elif status not in {"pending", "processing"}:
                    waiting.discard(operation_id)
            assert time.monotonic() < deadline, f"stuck: {waiting}"
            time.sleep(0.2)

    def _is_deleted(self, operation_id: str) -> bool:
        return any(one.is_deleted for one in self.parcels if one.operation_id == operation_id)
