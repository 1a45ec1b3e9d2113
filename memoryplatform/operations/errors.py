"""What can go wrong with operations.

OperationError
├── OperationNotFound
├── OperationFinished     cancel or retry came too late, or too early
├── UnknownKind           no handler of that name in this version
├── LeaseLost             another worker holds the operation now, or it was cancelled
├── PermanentFailure      raised by a handler: trying again can't help
└── IdempotencyConflict
    ├── RequestInFlight   the same key is being served right now
    └── KeyReused         the same key came with another request
"""


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


class IdempotencyConflict(OperationError):
    code = "idempotency_conflict"


class RequestInFlight(IdempotencyConflict):
    code = "request_in_flight"


class KeyReused(IdempotencyConflict):
    code = "idempotency_key_reused"
