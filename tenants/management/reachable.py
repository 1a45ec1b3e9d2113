"""Turns the error of an unreachable or missing database into a sentence for the operator of a command."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import CommandError
from django.db import OperationalError

ADVICE = (
    "The database can't be reached. Beside `manage.py up --data-dir FOLDER`, set MEMORYPLATFORM_DATA_DIR=FOLDER and "
    "keep `up` running; elsewhere, check DATABASE_URL."
)

URLS = {"owner": "DATABASE_OWNER_URL", "platform": "DATABASE_PLATFORM_URL"}


def check_databases(*aliases: str) -> None:
    """A process has only the database URLs that it was given. A command that needs another one says which."""
    for alias in aliases:
        if alias not in settings.DATABASES:
            raise CommandError(f"{URLS[alias]} is missing: this command needs it.")


@contextmanager
def needing_database() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise CommandError(ADVICE) from error
