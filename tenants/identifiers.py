"""UUIDv7: sortable by creation time, so that new rows land at the end of every index."""

from uuid import UUID

from uuid_utils import compat


def uuid7() -> UUID:
    return compat.uuid7()
