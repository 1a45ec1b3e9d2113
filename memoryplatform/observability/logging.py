"""Structured logs: one event a line, with request id and tenant, never with a key or a memory's text.

The messages of exceptions are left out, because a database error quotes the row and a validation error the input. The
log has the class, the stack and, for the database, the SQLSTATE and the constraint.
"""

import logging.config
import re
import sys
import traceback
from typing import Any, Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

API_KEY = re.compile(r"mpk_[0-9a-f]{12}_[0-9A-Za-z_-]+")
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Their lower levels repeat our own request line or quote the caller.
QUIETER = {
    "django.request": "CRITICAL",
    "django.security": "ERROR",
    "httpx": "WARNING",
    "mcp": "WARNING",
    "openai": "WARNING",
}


def replace_exception(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    error = info[1] if isinstance(info, tuple) else info
    if isinstance(error, BaseException):
        event["exception"] = " <- ".join(name_error(link) for link in list_causes(error))
        event["stack"] = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    return event


def list_causes(error: BaseException) -> list[BaseException]:
    links = [error]
    while (cause := links[-1].__cause__) is not None and cause not in links:
        links.append(cause)
    return links


def name_error(error: BaseException) -> str:
    state = getattr(error, "sqlstate", None)
    constraint = getattr(getattr(error, "diag", None), "constraint_name", None)
    return " ".join(str(part) for part in (type(error).__name__, state, constraint) if part)


def hide_keys(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A second guard: no code should log a key, and this removes one that is logged."""
    return {name: API_KEY.sub("mpk_***", value) if isinstance(value, str) else value for name, value in event.items()}


def escape_controls(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A text of a stranger in a message begins no line and sends nothing to the terminal. JSON escapes by itself."""
    event["event"] = CONTROLS.sub(lambda found: repr(found[0])[1:-1], str(event["event"]))
    return event


PROCESSORS: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    replace_exception,
    hide_keys,
)


def logging_config(*, level: str, form: Literal["json", "console"]) -> dict[str, Any]:
    """Settings for the standard library. `form` decides the look of all lines, structlog's and others'."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": "structlog.stdlib.ProcessorFormatter",
                "foreign_pre_chain": PROCESSORS,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render(form)],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {name: {"level": quietest} for name, quietest in QUIETER.items()},
    }


def render(form: Literal["json", "console"]) -> tuple[Processor, ...]:
    if form == "json":
        return (structlog.processors.JSONRenderer(),)
    return escape_controls, structlog.dev.ConsoleRenderer(colors=False, pad_event_to=28)


def configure(config: dict[str, Any]) -> None:
    """Django calls this with LOGGING, see LOGGING_CONFIG."""
    logging.config.dictConfig(config)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *PROCESSORS,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
