"""Loads models while the process already serves: `/health/ready` says when those of the web process are there."""

import gc
import threading
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)


def warm_up_in_background(load: Callable[[], object]) -> None:
    threading.Thread(target=warm_up, args=(load,), name="warm-up", daemon=True).start()


def warm_up(load: Callable[[], object]) -> None:
    """A failure is no reason to stop: the next who needs the model tries again and gets the error."""
    try:
        load()
    except Exception:
        log.exception("models.warm_up_failed")
    else:
        gc.collect()
        gc.freeze()  # what stays for ever need not be walked again: a full collection held up one request in forty
        log.info("models.ready")
