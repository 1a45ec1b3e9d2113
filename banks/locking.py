"""The lock of a bank's memory."""

from django.db import connection

from banks.models import Bank


def lock_memory(bank: Bank) -> None:
    """Allow one writer at a time for a bank, until the end of the transaction.

    Two batches with Bob and Robert at once must see each other's entities, and the blocks of the text index are read
    and written back. Readers never wait.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memory:{bank.id}"])
