"""The liveness and readiness of the service. The state of each part reveals nothing to a stranger."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait

import redis
import structlog
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from providers import registry
from tenants.migration_history import find_missing

log = structlog.get_logger(__name__)
OK = "ok"
LONGEST_SECONDS = 2.0
SHORT_SECONDS = 0.5  # below the usual time of a liveness probe
CHECKERS = ThreadPoolExecutor(max_workers=8, thread_name_prefix="health")
migrated = False


def live(_request: HttpRequest) -> JsonResponse:
    """The process lives, whatever the state of the database, which Hindsight's clients read here too."""
    is_there = has_database(within=SHORT_SECONDS)
    return JsonResponse({"status": OK, "database": "connected" if is_there else "disconnected"})


def ready(_request: HttpRequest) -> JsonResponse:
    """Check all parts at once within the time of a probe: a part that hangs is as bad as one that is down."""
    running = {name: CHECKERS.submit(run_check, name, check) for name, check in CHECKS.items()}
    done, _ = wait(running.values(), timeout=LONGEST_SECONDS)
    parts = {name: future.result() if future in done else "no answer" for name, future in running.items()}
    good = all(state == OK for state in parts.values())
    return JsonResponse({"status": OK if good else "unavailable", "parts": parts}, status=200 if good else 503)


def has_database(*, within: float = LONGEST_SECONDS) -> bool:
    """Whether the database answers within so many seconds."""
    asked = CHECKERS.submit(run_check, "database", check_database)
    wait([asked], timeout=within)
    return asked.done() and asked.result() == OK


def run_check(name: str, check: Callable[[], str]) -> str:
    try:
        return check()
    except Exception:
        log.exception("health.check_failed", part=name)
        return "unreachable"
    finally:
        connection.close()


def check_database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return OK


def check_broker() -> str:
    """Redis also holds the rate limits, so it is asked beside another broker."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=LONGEST_SECONDS) as client:
        client.ping()
    if settings.BROKER_URL != settings.REDIS_URL:
        ping_broker(settings.BROKER_URL)
    return OK


def ping_broker(url: str) -> None:
    if not url.startswith("amqp"):
        with redis.Redis.from_url(url, socket_timeout=LONGEST_SECONDS) as client:
            client.ping()
        return
    import pika  # an extra

    pika.BlockingConnection(pika.URLParameters(url)).close()


def check_migrations() -> str:
    """Query only until all are applied: they stay applied during the life of the process."""
    global migrated  # noqa: PLW0603
    if not migrated:
        executor = MigrationExecutor(connection)
        pending = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        pending += len(find_missing(executor.loader, executor.recorder.applied_migrations()))
        if pending:
            return f"{pending} not applied"
        migrated = True
    return OK


def check_models() -> str:
    waiting = {name: state for name, state in registry.model_states().items() if state != "loaded"}
    return ", ".join(f"{name} {state}" for name, state in waiting.items()) or OK


CHECKS: dict[str, Callable[[], str]] = {
    "database": check_database,
    "broker": check_broker,
    "migrations": check_migrations,
    "models": check_models,
}
