"""`Idempotency-Key` on requests that write."""

import contextlib
import functools
import hashlib
import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.openapi import IDEMPOTENCY_KEY
from memoryplatform.api.views import TenantView, as_response
from memoryplatform.operations.errors import RequestInFlight
from memoryplatform.operations.idempotency import ANY_BANK, Claim, Replay, begin, build_operation_key
from memoryplatform.operations.running.held_leases import keep_claim_file
from tenants.transactions import tenant_transaction

HEADER = "Idempotency-Key"
LONGEST_KEY = 255
Handler = Callable[..., Any]


def idempotent(handler: Handler) -> Handler:
    """Performs the request once per key. The work and the recorded response are one transaction.

    A failed request leaves nothing behind, so the client may send the same key again.
    """
    return once_for_each_key(handler, perform_in_one_transaction)


def idempotent_operation(handler: Handler) -> Handler:
    """Like `idempotent`, for a handler that is no single transaction: it calls models, or writes even when it
    refuses.

    The handler passes `read_operation_key` to the operation that it submits. If the process dies before the response is
    recorded, the next request with the key finds that operation.
    """
    return once_for_each_key(handler, perform_step_by_step)


def once_for_each_key(handler: Handler, perform: Callable[[Claim, Callable[[], Response]], Response]) -> Handler:
    @functools.wraps(handler)
    def wrapped(view: TenantView, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None or view.stores_nothing(request):
            return as_response(handler(view, request, *args, **kwargs))
        bank_key = kwargs.get("bank_id", ANY_BANK) if view.quotes_memories else ""
        outcome = begin(view.tenant_id, check_key(key), fingerprint(request, view.identity.id), bank_key=bank_key)
        if isinstance(outcome, Replay):
            return Response(outcome.body, status=outcome.status_code, headers={"Idempotency-Replayed": "true"})
        with keep_claim_file(outcome):
            return perform(outcome, lambda: as_response(handler(view, request, *args, **kwargs)))

    wrapped.is_idempotent = True  # type: ignore[attr-defined]  # the architecture test asks every POST for it
    described: Handler = extend_schema(parameters=[IDEMPOTENCY_KEY])(wrapped)
    return described


def perform_in_one_transaction(claim: Claim, call: Callable[[], Response]) -> Response:
    try:
        with tenant_transaction(claim.tenant_id):
            return finish(claim, call())
    except BaseException:
        claim.release()
        raise


def perform_step_by_step(claim: Claim, call: Callable[[], Response]) -> Response:
    """Returns the response even if a concurrent request with the same key has recorded its own."""
    try:
        response = call()
        with contextlib.suppress(RequestInFlight):
            finish(claim, response)
    except BaseException:
        claim.release()
        raise
    return response


def finish(claim: Claim, response: Response) -> Response:
    claim.finish(status_code=response.status_code, body=json.loads(JSONRenderer().render(response.data)))
    return response


def read_operation_key(view: TenantView, request: Request) -> str | None:
    """None without an Idempotency-Key."""
    key = request.headers.get(HEADER)
    return None if key is None else build_operation_key(key, fingerprint(request, view.identity.id))


def check_key(key: str) -> str:
    if not key.strip() or len(key) > LONGEST_KEY or not key.isprintable():
        raise serializers.ValidationError({HEADER: [f"Must be 1 to {LONGEST_KEY} printable characters."]})
    return key


def fingerprint(request: Request, api_key_id: UUID) -> str:
    """Equal for requests with the same API key, method, path and body bytes."""
    raw = request._request  # noqa: SLF001  # DRF keeps Django's request there
    parts = (api_key_id.bytes, str(raw.method).encode(), raw.get_full_path().encode(), raw.body)
    return hashlib.sha256(b"\n".join(parts)).hexdigest()
