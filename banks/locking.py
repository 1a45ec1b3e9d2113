"""The order in which a bank's memory is written."""

from django.db import connection

from banks.models import Bank


def lock_memory(bank: Bank) -> None:
    """One writer at a time for a bank, to the end of the transaction.

    Two batches that meet Bob and Robert at once must see each other's, and the blocks of the text index are read,
    lengthened and written back. Readers wait for nobody.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"memory:{bank.id}"])
