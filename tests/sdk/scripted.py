"""A scripted service: it gives the queued responses in order and records the requests."""

from collections.abc import Callable
from uuid import UUID

import httpx

from memoryplatform_client import MemoryClient, RetryPolicy

Answer = httpx.Response | Exception
QUICK = RetryPolicy(attempts=3, first_wait=0.001, longest_wait=5.0)

OPERATION = {
    "kind": "retain",
    "bank_id": "alice",
    "progress": {"stage": "", "processed": 0, "total": 1},
    "error": {"code": "extraction_failed", "detail": "The model refused."},
    **dict.fromkeys(("next_attempt_at", "started_at", "finished_at", "payload", "result")),
}
RETAINED = {
    "success": True,
    "bank_id": "b",
    "items_count": 1,
    "item_errors": [],
    "operation_id": "01932f0e-0000-7000-8000-000000000000",
    "status": "pending",
    "unit_ids": [],
    "errors": [],
    "notes": [],
    "usage": None,
    "async": True,
}


class Scripted(httpx.MockTransport):
    def __init__(self, *answers: Answer) -> None:
        super().__init__(self.answer)
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)  # read only once

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.requests]


def refuse(status: int, code: str = "", **headers: str) -> httpx.Response:
    body = {"detail": "No.", "code": code, "request_id": "r-1"} if code else {}
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): text for name, text in headers.items()})


def make_client(transport: httpx.BaseTransport, retry: RetryPolicy = QUICK) -> MemoryClient:
    return MemoryClient("http://service", "mpk_secret", transport=transport, retry=retry)


def failed_operation(operation_id: UUID, attempts: int) -> httpx.Response:
    told = {"operation_id": str(operation_id), "status": "failed", "attempts": attempts, "max_attempts": 5}
    return httpx.Response(200, json={**OPERATION, **told, "created_at": "2024-05-01T00:00:00Z"})


Attempt = Callable[[MemoryClient], object]
