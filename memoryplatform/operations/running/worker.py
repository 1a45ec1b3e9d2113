"""A worker process: Dramatiq's threads for one group of queues, and the sweeper beside them."""

import signal
import threading

import dramatiq
import structlog
from django.conf import settings
from django.db import DatabaseError, connections
from dramatiq.errors import BrokerError
from redis.exceptions import RedisError

from memoryplatform.operations.running.sweep import sweep
from memoryplatform.server.warm_up import warm_up_in_background
from providers import registry
from tenants.wall_check import check_service_role

log = structlog.get_logger(__name__)
SWEEP_EVERY_SECONDS = 1.0
STOP_WITHIN_MS = 10_000
WITHOUT_MODELS = frozenset({"notify"})  # groups whose work needs no embedder, nor its memory


def serve(group: str) -> None:
    """Work until SIGTERM or SIGINT, then put unfinished operations back and return."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    check_service_role()
    if group not in WITHOUT_MODELS:
        warm_up_in_background(registry.get_embedder)
    broker = dramatiq.get_broker()
    broker.emit_after("process_boot")
    queues = set(settings.QUEUE_GROUPS[group])
    worker = dramatiq.Worker(broker, queues=queues, worker_threads=settings.WORKER_THREADS)
    worker.start()
    log.info("worker.started", group=group, threads=settings.WORKER_THREADS)
    sweep_until(stop)
    worker.stop(timeout=STOP_WITHIN_MS)
    log.info("worker.stopped", group=group)


def sweep_until(stop: threading.Event) -> None:
    """The main thread sweeps while it waits. A database or broker that is away for a while is not the end."""
    while not stop.wait(SWEEP_EVERY_SECONDS):
        try:
            sweep()
        except (DatabaseError, RedisError, BrokerError, dramatiq.errors.ConnectionError) as error:
            log.warning("sweep.failed", error=type(error).__name__)
        finally:
            connections.close_all()
