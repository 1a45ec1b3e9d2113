"""Loads the models while the server already answers: `/health/ready` says when they are there."""

import threading

import structlog

from providers import registry

log = structlog.get_logger(__name__)


def warm_up_in_background() -> None:
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()


def warm_up() -> None:
    try:
        registry.warm_up()
    except Exception:
        log.exception("models.warm_up_failed")
    else:
        log.info("models.ready")
