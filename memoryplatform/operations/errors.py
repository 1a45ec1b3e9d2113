"""The errors of operations and of the use-cases around them.

OperationError
├── OperationNotFound
├── OperationFinished     cancel or retry came too late, or too early
├── UnknownKind           no handler of that name in this version
├── QueueFull             the tenant has as much waiting work as it may have
├── LeaseLost             another worker holds the operation now, or it was cancelled
├── PermanentFailure      raised by a handler: a retry can't help
├── NotYet                raised by a handler: it waits for other work
├── RowNotFound
│   ├── AuditEventNotFound
│   ├── ErasureNotFound
│   ├── WebhookNotFound
│   ├── DeliveryNotFound
│   └── QuarantinedItemNotFound
├── WebhookInvalid        a forbidden address or an unknown event
├── ProtectionRefused     the bank refuses texts with such findings
└── IdempotencyConflict
    ├── RequestInFlight   a request with the same key is being served
    ├── KeyReused         the same key came with another request
    └── AnswerForgotten   it was performed, and its answer was deleted since
"""

from datetime import timedelta
from typing import Any
from uuid import UUID


class OperationError(Exception):
    code = "operation_error"


class OperationNotFound(OperationError):
    code = "operation_not_found"


class OperationFinished(OperationError):
    code = "operation_state"


class UnknownKind(OperationError):
    code = "unknown_kind"


class QueueFull(OperationError):
    """`retry_after`: seconds until there may be room."""

    code = "queue_full"

    def __init__(self, most: int, retry_after: int) -> None:
        super().__init__(
            f"{most} operations wait already, which is the most for one tenant. Send more when some are done."
        )
        self.retry_after = retry_after


class LeaseLost(OperationError):
    code = "lease_lost"


class PermanentFailure(OperationError):
    """The text is shown to the tenant."""

    def __init__(self, detail: str, *, code: str = "failed") -> None:
        super().__init__(detail)
        self.code = code


class NotYet(OperationError):
    """Does not count as an attempt."""

    code = "not_yet"

    def __init__(self, detail: str, *, wait: timedelta) -> None:
        super().__init__(detail)
        self.wait = wait


class RowNotFound(OperationError):
    kind = ""

    def __init__(self, row_id: UUID) -> None:
        super().__init__(f"{self.kind} {row_id} not found.")


class AuditEventNotFound(RowNotFound):
    code, kind = "audit_event_not_found", "Audit event"


class ErasureNotFound(RowNotFound):
    code, kind = "erasure_not_found", "Erasure"


class WebhookNotFound(RowNotFound):
    code, kind = "webhook_not_found", "Webhook"


class DeliveryNotFound(RowNotFound):
    code, kind = "delivery_not_found", "Delivery"


class QuarantinedItemNotFound(RowNotFound):
    code, kind = "quarantined_item_not_found", "Quarantined item"


class ProtectionRefused(OperationError):
    """`findings` have fields, kinds and positions, never the found text."""

    code = "protection_refused"

    def __init__(self, detail: str, findings: list[dict[str, Any]]) -> None:
        super().__init__(detail)
        self.details = {"findings": findings}


class WebhookInvalid(OperationError):
    code = "webhook_invalid"


class IdempotencyConflict(OperationError):
    code = "idempotency_conflict"


class RequestInFlight(IdempotencyConflict):
    code = "request_in_flight"


class KeyReused(IdempotencyConflict):
    code = "idempotency_key_reused"


class AnswerForgotten(IdempotencyConflict):
    code = "answer_forgotten"
