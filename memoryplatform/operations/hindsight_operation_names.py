"""Hindsight lets a caller name an operation beforehand, so that a repeated call finds it."""

from uuid import UUID

from django.db.models import Q

from memoryplatform.operations.models import Operation

PREFIX = "hindsight:"


def build_key(operation_id: UUID) -> str:
    return f"{PREFIX}{operation_id}"


def name_operation(operation: Operation) -> UUID:
    """The caller's name for it where he gave one."""
    key = operation.idempotency_key or ""
    return UUID(key.removeprefix(PREFIX)) if key.startswith(PREFIX) else operation.id


def named(operation_id: UUID) -> Q:
    return Q(id=operation_id) | Q(idempotency_key=build_key(operation_id))
