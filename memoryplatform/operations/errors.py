"""What can go wrong with operations.

OperationError
├── OperationNotFound
├── OperationFinished     cancel or retry came too late, or too early
├── UnknownKind           no handler of that name in this version
├── LeaseLost             another worker holds the operation now, or it was cancelled
├── PermanentFailure      raised by a handler: trying again can't help
├── NotYet                raised by a handler: nothing is wrong here, look again later
├── AuditEventNotFound
├── WebhookNotFound
├── DeliveryNotFound
├── WebhookInvalid        an address that may not be called, an event that there is not
└── IdempotencyConflict
    ├── RequestInFlight   the same key is being served right now
    ├── KeyReused         the same key came with another request
    └── AnswerForgotten   it was performed, and its answer deleted since
"""

from datetime import timedelta
from uuid import UUID


class OperationError(Exception):
    code = "operation_error"


class OperationNotFound(OperationError):
    code = "operation_not_found"


class OperationFinished(OperationError):
    code = "operation_state"


class UnknownKind(OperationError):
    code = "unknown_kind"


class LeaseLost(OperationError):
    code = "lease_lost"


class PermanentFailure(OperationError):
    """The text is shown to the tenant."""

    def __init__(self, detail: str, *, code: str = "failed") -> None:
        super().__init__(detail)
        self.code = code


class NotYet(OperationError):
    """It is not this attempt's fault, so it does not count as one."""

    code = "not_yet"

    def __init__(self, detail: str, *, wait: timedelta) -> None:
        super().__init__(detail)
        self.wait = wait


class AuditEventNotFound(OperationError):
    code = "audit_event_not_found"

    def __init__(self, event_id: UUID) -> None:
        super().__init__(f"Audit event {event_id} not found.")


class WebhookNotFound(OperationError):
    code = "webhook_not_found"

    def __init__(self, webhook_id: UUID) -> None:
        super().__init__(f"Webhook {webhook_id} not found.")


class DeliveryNotFound(OperationError):
    code = "delivery_not_found"

    def __init__(self, delivery_id: UUID) -> None:
        super().__init__(f"Delivery {delivery_id} not found.")


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
