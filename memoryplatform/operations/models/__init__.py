from memoryplatform.operations.models.dispatch import Dispatch
from memoryplatform.operations.models.idempotency_record import IdempotencyRecord
from memoryplatform.operations.models.operation import Operation

__all__ = ["Dispatch", "IdempotencyRecord", "Operation"]
