"""When a bank deserves an index. Each one costs every write to the table a look, so small banks have none.

A scan of 10,000 units takes 9 ms and is exact. The index finds the nearest 100 in 4 ms, and takes longer than the scan
for the nearest 600.
"""

from enum import StrEnum

from django.conf import settings

from banks.models import Bank
from banks.vector_index.lookup import count_units, read_state

SHRUNK = 0.5  # of the size that an index is built at: a bank that wavers about it is left in peace


class Need(StrEnum):
    BUILD = "build"
    DROP = "drop"
    NOTHING = "nothing"


def find_need(bank: Bank) -> Need:
    """Call inside a tenant transaction."""
    state = read_state(bank.id)
    size = count_units(bank, at_most=settings.VECTOR_INDEX_UNITS)
    if size >= settings.VECTOR_INDEX_UNITS:
        return Need.NOTHING if state.is_valid else Need.BUILD
    if state.exists and (size < settings.VECTOR_INDEX_UNITS * SHRUNK or not state.is_valid):
        return Need.DROP
    return Need.NOTHING
