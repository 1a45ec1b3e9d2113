"""Turns the error of an unreachable database into a sentence for the operator of a command."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management import CommandError
from django.db import OperationalError

ADVICE = (
    "The database can't be reached. Beside `manage.py up --data-dir FOLDER`, set MEMORYPLATFORM_DATA_DIR=FOLDER and "
    "keep `up` running; elsewhere, check DATABASE_URL."
)


@contextmanager
def needing_database() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise CommandError(ADVICE) from error
