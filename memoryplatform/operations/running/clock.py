"""The clock of the database, which all processes share. That of a machine may be wrong, or jump."""

from datetime import datetime

from django.db import connection


def read_clock() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
