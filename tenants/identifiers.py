"""UUIDv7: sortable by creation time, so that new rows land at the end of every index."""

from datetime import datetime
from uuid import UUID

from uuid_utils import compat

BITS_AFTER_TIME = 80


def uuid7() -> UUID:
    return compat.uuid7()


def uuid7_at(moment: datetime) -> UUID:
    """An id of that millisecond. The other bits, among them the version, are those of a new id."""
    rest = uuid7().int % 2**BITS_AFTER_TIME
    return UUID(int=(round(moment.timestamp() * 1000) << BITS_AFTER_TIME) + rest)
