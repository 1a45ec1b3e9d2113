"""The broker's side: one actor a queue, whose message holds two ids and nothing else."""

from uuid import UUID

import dramatiq
from django.conf import settings

from memoryplatform.operations.running.perform import perform

ATTEMPT_LIMIT_MS = 60 * 60 * 1000


def perform_message(tenant_id: str, operation_id: str) -> None:
    perform(UUID(tenant_id), UUID(operation_id))


def make_actor(queue: str) -> "dramatiq.Actor[[str, str], None]":
    """Retries are the operation's own business, so the broker has none: a lost message is found by the sweeper."""
    decorate = dramatiq.actor(
        actor_name=f"perform_{queue}", queue_name=queue, time_limit=ATTEMPT_LIMIT_MS, notify_shutdown=True
    )
    return decorate(perform_message)


ACTORS = {queue: make_actor(queue) for queues in settings.QUEUE_GROUPS.values() for queue in queues}


def wake_worker(queue: str, tenant_id: UUID, operation_id: UUID) -> None:
    ACTORS[queue].send(str(tenant_id), str(operation_id))
